import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
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

/**
 * Seconds that one process takes to fetch a URL by `connections` at once without looking at a byte: what arrives is thrown
 * away by the kernel. Eight of curl need more of the processor than the server that they ask.
 */
export async function discard(url: string, connections: number, { signal }: ClientOptions): Promise<number> {
  const program = fileURLToPath(new URL("discard.py", import.meta.url));
  return Number(await output("python3", [program, url, String(connections)], signal));
}

function loadCommand(options: LoadOptions): string[] {
  const program = fileURLToPath(new URL("load.ts", import.meta.url));
  return ["--import", import.meta.resolve("tsx"), program, JSON.stringify(options)];
}

/** Runs bench/serve/load.ts in a process of its own. */
export async function runLoad(options: LoadOptions, { signal }: ClientOptions): Promise<LoadResult> {
  return JSON.parse(await output(process.execPath, loadCommand(options), signal)) as LoadResult;
}

/** The same, going on for just as long as `meanwhile` does. */
export async function runLoadWhile(
  options: Omit<LoadOptions, "seconds" | "times">,
  { signal }: ClientOptions,
  meanwhile: () => Promise<void>,
): Promise<LoadResult> {
  const child = spawn(process.execPath, loadCommand(options), { signal, stdio: ["pipe", "pipe", "pipe"] });
  const result = collect(child, "load");
  await Promise.race([once(child.stderr, "data"), result]);
  try {
    await meanwhile();
  } finally {
    child.stdin.end();
  }
  return JSON.parse(await result) as LoadResult;
}

/** Standard output of a program. Throws with what it wrote elsewhere when it fails. */
export function output(program: string, parameters: readonly string[], signal: AbortSignal): Promise<string> {
  return collect(spawn(program, parameters, { signal, stdio: ["ignore", "pipe", "pipe"] }), program);
}

function collect(
  child: ChildProcessByStdio<Writable | null, Readable, Readable>,
  name: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const out: Buffer[] = [];
    const wrote: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => wrote.push(chunk));
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(Buffer.concat(out).toString());
      else reject(new Error(`${name} ended with ${code}: ${Buffer.concat(wrote).toString()}`));
    });
  });
}
