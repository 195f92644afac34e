import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Context } from "../../src/cli/context.ts";
import { hostArch } from "../../src/cli/host-arch.ts";
import { run } from "../../src/cli/run.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import type { ProgressEvent } from "../../src/log.ts";

export interface FerryRun {
  code: number;
  /** Standard output: the answer alone. */
  stdout: string;
  /** Standard error: messages, warnings, errors. */
  stderr: string;
  progress: ProgressEvent[];
}

export interface FerryOptions {
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  stdin?: Readable;
  signal?: AbortSignal;
  clock?: Clock;
  /** Answers to questions on the terminal, in their order; given, the run is interactive. */
  secrets?: string[];
  onProgress?: (event: ProgressEvent) => void;
}

export const PACKAGE_ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Runs a command line in this process, with nothing of this process's environment. */
export async function runFerry(argv: readonly string[], options: FerryOptions = {}): Promise<FerryRun> {
  const result: FerryRun = { code: -1, stdout: "", stderr: "", progress: [] };
  const say = (text: string): void => {
    result.stderr += text;
  };
  const secrets = [...(options.secrets ?? [])];
  const context: Context = {
    env: { HOME: "/nonexistent", ...options.env },
    cwd: options.cwd ?? PACKAGE_ROOT,
    stdin: options.stdin ?? Readable.from([]),
    interactive: options.secrets !== undefined,
    write: (text) => {
      result.stdout += text;
      return Promise.resolve();
    },
    askSecret: (question) => {
      say(question);
      const answer = secrets.shift();
      return answer === undefined
        ? Promise.reject(new Error(`nobody answers: ${question}`))
        : Promise.resolve(answer);
    },
    logger: {
      debug: () => undefined,
      info: (message) => {
        say(`${message}\n`);
      },
      warn: (message) => {
        say(`warning: ${message}\n`);
      },
      progress: (event) => {
        result.progress.push(event);
        options.onProgress?.(event);
      },
      plain: say,
      close: () => undefined,
    },
    clock: options.clock ?? systemClock,
    signal: options.signal ?? new AbortController().signal,
    packageRoot: PACKAGE_ROOT,
    hostArch: hostArch(process),
    version: "0.0.0-test",
  };
  result.code = await run(argv, context);
  return result;
}
