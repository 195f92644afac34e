import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const packageRoot = fileURLToPath(new URL("../../", import.meta.url));

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs Node with these arguments in `cwd` and waits for it. */
export function runNode(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = process.env): Outcome {
  const run = spawnSync(process.execPath, args, {
    cwd,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { code: run.status, stdout: run.stdout, stderr: run.stderr };
}

/** Runs one of our own TypeScript scripts, as the npm scripts do. */
export function runScript(name: string, ...args: string[]): Outcome {
  return runNode(["--import", "tsx", `scripts/${name}`, ...args], packageRoot);
}
