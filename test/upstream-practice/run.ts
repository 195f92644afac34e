import { execFile } from "node:child_process";

export interface Ran {
  /** Exit code; -1 where a signal ended it. */
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a real program to its end; a code other than 0 is an answer, not an error. A program that is not there is. */
export function run(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === "string") reject(new Error(`cannot run ${program}: ${code}`));
      else resolve({ code: code ?? -1, stdout, stderr });
    });
  });
}
