import { spawn } from "node:child_process";
import type { Readable } from "node:stream";

/** A program with its arguments, for one shell word each. */
export type Words = readonly string[];

export interface Ran {
  /** Seconds from start to end. */
  wall: number;
  /** Seconds of processor time, of the program and the system for it, over all processes that were run. */
  cpu: number;
  stdout: string;
}

export interface RunOptions {
  signal: AbortSignal;
  env?: Readonly<Record<string, string>>;
  cwd?: string;
}

/** The shell's clock starts after the shell itself did. File descriptor 3 takes the commands' own messages. */
const timed = (script: string): string => `TIMEFORMAT='%3R %3U %3S'\nset -e\ntime {\n${script}\n} 2>&3`;

/**
 * Runs commands of bash, one after the other, and tells what they took, as `time` and so the kernel counts it. Throws an
 * Error with their messages when one fails. All of them are ended when the signal aborts.
 */
export async function run(script: string, { signal, env, cwd }: RunOptions): Promise<Ran> {
  signal.throwIfAborted();
  const child = spawn("bash", ["-c", timed(script)], {
    // A group of its own, so that all of it can be ended.
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], LC_ALL: "C", ...env },
    cwd,
  });
  const end = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
  };
  signal.addEventListener("abort", end);
  try {
    const [stdout, times, messages, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      text(child.stdio[3] as Readable),
      new Promise<number | null>((resolve, reject) => {
        child.once("error", reject);
        child.once("close", resolve);
      }),
    ]);
    signal.throwIfAborted();
    const [wall, user, system] = times.trim().split(" ").map(Number);
    if (code !== 0 || wall === undefined || user === undefined || system === undefined) {
      throw new Error(`${script}\nended with ${code}:\n${stdout}${messages}${times}`);
    }
    return { wall, cpu: user + system, stdout };
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** Words as bash reads them, whatever they hold. */
export function shell(words: Words): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
}

async function text(stream: Readable | null): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream ?? []) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
