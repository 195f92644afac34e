import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { PACKAGE_ROOT } from "./run-ferry.ts";

export interface Spawned {
  child: ChildProcess;
  /** Resolves when the process has ended. */
  done: Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>;
}

/** Starts the real program as a user's shell would; `umask` and `env` are the process's own. */
export function spawnFerry(
  argv: readonly string[],
  options: { cwd: string; env: Readonly<Record<string, string>>; umask?: string },
): Spawned {
  const script = `umask ${options.umask ?? "022"}; exec "$0" "$@"`;
  const child = spawn(
    "sh",
    ["-c", script, process.execPath, join(PACKAGE_ROOT, "bin", "ferry.mjs"), ...argv],
    {
      cwd: options.cwd,
      env: { PATH: process.env["PATH"] ?? "", HOME: options.cwd, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const done: Spawned["done"] = new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      resolve({ code, signal, stdout, stderr });
    });
  });
  return { child, done };
}
