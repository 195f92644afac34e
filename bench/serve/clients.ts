import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { LoadOptions, LoadResult } from "./load.ts";

export interface ClientOptions {
  signal: AbortSignal;
}

/** Seconds that `clients` processes of curl take together to fetch a URL each, at once. Throws when one fails. */
export async function curl(url: string, clients: number, { signal }: ClientOptions): Promise<number> {
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: clients }, () => output("curl", ["-sSf", "-o", "/dev/null", url], signal)),
  );
  return (performance.now() - begun) / 1000;
}

/** Runs bench/serve/load.ts in a process of its own. */
export async function runLoad(options: LoadOptions, { signal }: ClientOptions): Promise<LoadResult> {
  const program = fileURLToPath(new URL("load.ts", import.meta.url));
  const parameters = ["--import", import.meta.resolve("tsx"), program, JSON.stringify(options)];
  return JSON.parse(await output(process.execPath, parameters, signal)) as LoadResult;
}

/** Standard output of a program. Throws with what it wrote elsewhere when it fails. */
export function output(program: string, parameters: readonly string[], signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { signal, stdio: ["ignore", "pipe", "pipe"] });
    const out: Buffer[] = [];
    const wrote: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => wrote.push(chunk));
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(Buffer.concat(out).toString());
      else reject(new Error(`${program} ended with ${code}: ${Buffer.concat(wrote).toString()}`));
    });
  });
}
