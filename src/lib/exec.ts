import { spawn } from "node:child_process";
import { FerryError, interrupted } from "../errors.ts";

export interface ExecOptions {
  /** The whole environment of the program: nothing is inherited. */
  env: Readonly<Record<string, string>>;
  cwd?: string;
  signal?: AbortSignal;
  /** Bytes of standard output that are taken; a program that says more is ended. Default 64 MiB. */
  limit?: number;
}

export interface ExecResult {
  /** Exit status; undefined where a signal ended it. */
  code: number | undefined;
  stdout: string;
  /** Its last MiB where there was more. */
  stderr: string;
}

const LIMIT = 64 * 1024 * 1024;
const ERROR_LIMIT = 1024 * 1024;

/**
 * Runs a program to its end, without a shell and without a time limit. A status other than 0 is the caller's to judge.
 * Throws FILE_UNREADABLE where it cannot be started or says too much, and INTERRUPTED once it has ended after the signal
 * aborted.
 */
export async function exec(
  program: string,
  args: readonly string[],
  options: ExecOptions,
): Promise<ExecResult> {
  const { env, cwd, signal, limit = LIMIT } = options;
  if (signal?.aborted === true) throw interrupted(program);
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env,
      stdio: ["ignore", "pipe", "pipe"],
      ...(cwd === undefined ? {} : { cwd }),
    });
    const stdout = gather(limit);
    const stderr = gather(ERROR_LIMIT);
    const stop = (): void => {
      child.kill("SIGKILL");
    };
    signal?.addEventListener("abort", stop, { once: true });
    child.stdout.on("data", (chunk: Buffer) => {
      stdout.add(chunk);
      if (stdout.overflown()) stop();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      stderr.add(chunk);
    });
    child.on("error", (error) => {
      signal?.removeEventListener("abort", stop);
      reject(cannotRun(program, error.message, error));
    });
    child.on("close", (code) => {
      signal?.removeEventListener("abort", stop);
      if (signal?.aborted === true) reject(interrupted(program));
      else if (stdout.overflown()) reject(cannotRun(program, `it wrote more than ${limit} bytes`));
      else resolve({ code: code ?? undefined, stdout: stdout.text(), stderr: stderr.text() });
    });
  });
}

function cannotRun(program: string, why: string, cause?: Error): FerryError {
  return new FerryError("FILE_UNREADABLE", `cannot run ${program}: ${why}`, {
    ...(cause === undefined ? {} : { cause }),
    hint: "Check that the file is there, is a program for this machine, and may be executed.",
  });
}

interface Gathered {
  add(chunk: Buffer): void;
  overflown(): boolean;
  /** The last `limit` bytes. */
  text(): string;
}

function gather(limit: number): Gathered {
  let chunks: Buffer[] = [];
  let held = 0;
  let seen = 0;
  const join = (): Buffer => Buffer.concat(chunks).subarray(-limit);
  return {
    add: (chunk) => {
      chunks.push(chunk);
      held += chunk.length;
      seen += chunk.length;
      // Joined now and then, so that a program that never stops talking costs two limits of memory at most.
      if (held <= 2 * limit) return;
      chunks = [join()];
      held = limit;
    },
    overflown: () => seen > limit,
    text: () => join().toString("utf8"),
  };
}
