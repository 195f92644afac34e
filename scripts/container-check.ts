/**
 * Asks a mirror in a container, from within its network, and fails where an answer is not what it should be:
 *   tsx scripts/container-check.ts empty|full URL [mirror|nginx]
 * `empty`: alive, not ready. `full`: ready, has its pages, and a file of its first bundle comes whole and in part.
 */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

/** An import has been seen long before; a start on a loaded machine takes a few seconds. */
const PATIENCE_MS = 30_000;

const Inventory = z.object({ bundles: z.array(z.object({ name: z.string() })).min(1) });
const Document = z.object({
  files: z.array(z.object({ path: z.string(), digest: z.string(), size: z.number() })).min(1),
});

function demand(holds: boolean, words: string): asserts holds {
  if (!holds) throw new Error(words);
}

/** The answer's words, when its status is the wanted one. */
async function until(url: string, status: number): Promise<string> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look(url);
    if (found.status === status) return found.words;
    demand(Date.now() < deadline, `${url} answers ${found.status}: ${found.words}; expected ${status}`);
    await sleep(100);
  }
}

/** Status 0 where nobody answers. */
async function look(url: string): Promise<{ status: number; words: string }> {
  try {
    const response = await fetch(url);
    return { status: response.status, words: (await response.text()).trim() };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return { status: 0, words: cause instanceof Error ? cause.message : String(cause) };
  }
}

async function json<T>(url: string, shape: z.ZodType<T>): Promise<T> {
  const response = await fetch(url);
  demand(response.status === 200, `${url} answers ${response.status}`);
  return shape.parse(await response.json());
}

function sha256(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** What is read from files beside the program, and would be absent if the image lacked them. */
async function fetchPages(base: string): Promise<void> {
  for (const [path, beginning] of [
    ["/install.sh", "#!/bin/sh"],
    ["/", "<!doctype html>"],
  ] as const) {
    const text = await (await fetch(`${base}${path}`)).text();
    demand(
      text.toLowerCase().startsWith(beginning),
      `${path} begins with ${JSON.stringify(text.slice(0, 80))}`,
    );
  }
}

/** Fetches the largest file of the first bundle, whole and from its second byte on. */
async function fetchFile(base: string, sender: string): Promise<string> {
  const { bundles } = await json(`${base}/v1/bundles`, Inventory);
  const name = bundles[0]?.name ?? "";
  const { files } = await json(`${base}/v1/bundles/${name}/document`, Document);
  const [file] = files.toSorted((a, b) => b.size - a.size);
  demand(file !== undefined, `bundle ${name} has no file`);
  const url = new URL(`/${file.path}`.replace(/^\/+/, "/"), base);
  const whole = await fetch(url);
  const bytes = new Uint8Array(await whole.arrayBuffer());
  demand(whole.status === 200, `${url.pathname} answers ${whole.status}`);
  demand(sha256(bytes) === file.digest, `${url.pathname} came as ${sha256(bytes)}, not ${file.digest}`);
  const part = await fetch(url, { headers: { range: "bytes=1-" } });
  const rest = new Uint8Array(await part.arrayBuffer());
  demand(part.status === 206, `${url.pathname} in part answers ${part.status}`);
  demand(sha256(rest) === sha256(bytes.subarray(1)), `${url.pathname} came otherwise in part`);
  const server = whole.headers.get("server") ?? "";
  demand(server.startsWith("nginx") === (sender === "nginx"), `${url.pathname} was sent by "${server}"`);
  return `${url.pathname} (${file.size} bytes)`;
}

const [mode, base = "", sender = "mirror"] = process.argv.slice(2);
try {
  demand((await until(`${base}/healthz`, 200)) === "ok", "healthz says something else");
  if (mode === "empty") console.log(`readyz: ${await until(`${base}/readyz`, 503)}`);
  else {
    console.log(`readyz: ${await until(`${base}/readyz`, 200)}`);
    await fetchPages(base);
    console.log(`got ${await fetchFile(base, sender)} from ${sender}`);
  }
} catch (error) {
  console.error(`container-check: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
