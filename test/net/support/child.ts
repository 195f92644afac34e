import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const PROGRAMS = {
  ask: new URL("./ask.ts", import.meta.url),
  fetch: new URL("./fetch.ts", import.meta.url),
};

/** Starts a program of this folder in a process of its own, ended with the test. */
export function startProgram(
  name: keyof typeof PROGRAMS,
  args: readonly string[],
  env: Record<string, string> = {},
): ChildProcess {
  const child = spawn(process.execPath, ["--import", "tsx", fileURLToPath(PROGRAMS[name]), ...args], {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

export interface ProgramEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export function ended(child: ChildProcess): Promise<ProgramEnd> {
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve) => {
    child.once("close", (code, signal) => {
      resolve({ code, signal, stdout, stderr });
    });
  });
}
