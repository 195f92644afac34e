import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { rawRequest } from "../support/mirror-server.ts";
import { rawClient, splitAnswers } from "../support/raw-client.ts";
import { type ServedStore, servedStore } from "../support/served-store.ts";
import { tmpDir } from "../support/tmp.ts";

/** Each process compiles what it runs, which takes seconds where the machine is busy. */
const PATIENT = { timeout: 180_000 };
const BIG = Buffer.alloc(24 * 1024 * 1024, "big");

let store: ServedStore;
let folder: string;
beforeEach(async () => {
  folder = await tmpDir();
  store = await servedStore(join(folder, "store"));
  await store.add({ name: "a", files: { "a/big": BIG, "a/small": "small" } });
});

interface Running {
  url: string;
  child: ChildProcess;
  /** What it has written to standard error so far. */
  said: () => string;
  /** Resolves when standard error holds this. */
  says: (words: string) => Promise<void>;
  exit: Promise<number | null>;
}

/** server/main.ts as a process of its own, once it says where it listens. Ends with the test. */
async function start(env: Record<string, string> = {}): Promise<Running> {
  const main = join(import.meta.dirname, "../../server/main.ts");
  const child = spawn(process.execPath, ["--import", "tsx", main], {
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      FERRY_STORE: store.root,
      FERRY_LISTEN: "127.0.0.1:0",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = once(child, "exit").then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exit;
  });
  let out = "";
  let said = "";
  const wakes = new Set<() => void>();
  const until = (ready: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!ready()) return;
        wakes.delete(look);
        resolve();
      };
      wakes.add(look);
      void exit.then(() => {
        reject(new Error(`it ended:\n${said}`));
      });
      look();
    });
  const gather = (take: (text: string) => void) => (chunk: Buffer) => {
    take(chunk.toString());
    for (const wake of wakes) wake();
  };
  child.stdout.on(
    "data",
    gather((text) => (out += text)),
  );
  child.stderr.on(
    "data",
    gather((text) => (said += text)),
  );
  await until(() => out.endsWith("\n"));
  expect(out).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+\n$/);
  return {
    url: out.slice("listening on ".length).trim(),
    child,
    said: () => said,
    says: (words) => until(() => said.includes(words)),
    exit,
  };
}

const get = (url: string, path: string): ReturnType<typeof rawRequest> => rawRequest(url, "GET", path);

describe("the mirror as a process", PATIENT, () => {
  it("M20: on SIGTERM finishes a running download, and ends with 0", async () => {
    const { url, child, exit, says } = await start();
    expect((await get(url, "/a/small")).text).toBe("small");
    const client = await rawClient(url);
    client.get("/a/big");
    await client.stallAfter(1);
    child.kill("SIGTERM");
    await says("stopping");
    client.socket.resume();
    await client.closed;
    expect(splitAnswers(client.received())[0]?.body.equals(BIG)).toBe(true);
    expect(await exit).toBe(0);
  });

  it("writes what it says and what it answers as JSON lines", async () => {
    const { url, child, exit, said } = await start({ FERRY_ACCESS_LOG: join(folder, "access.log") });
    await get(url, "/a/small");
    child.kill("SIGTERM");
    expect(await exit).toBe(0);
    const lines = said()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { message: string });
    expect(lines.map(({ message }) => message)).toContain(
      "catalog: 1 bundles, 2 files (2 contents, 25.2 MB)",
    );
    const access = (await readFile(join(folder, "access.log"), "utf8")).trimEnd().split("\n");
    expect(access.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        event: "request",
        path: "/a/small",
        status: 200,
        bytes: 5,
        client: "127.0.0.1",
      }),
    ]);
  });
});

describe("several processes", PATIENT, () => {
  it("share an address, an import, what was not found, and their metrics", async () => {
    const { url, child, exit } = await start({ FERRY_WORKERS: "2", FERRY_ACCESS_LOG: "off" });
    const answers = await Promise.all(Array.from({ length: 20 }, () => get(url, "/a/small")));
    expect(answers.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, () => "small"));
    const { text } = await get(url, "/metrics");
    expect(text).toContain('ferry_http_requests_total{method="GET",status="200",kind="file"} 20\n');
    expect(text).toContain("ferry_catalog_files 2\n");

    await store.add({ name: "b", files: { "b/new": "new" } });
    // Asked until every process has seen it: a connection may come to any of them.
    const seen = async (): Promise<boolean> =>
      (await Promise.all(Array.from({ length: 8 }, () => get(url, "/b/new")))).every(
        ({ status }) => status === 200,
      );
    while (!(await seen()));
    child.kill("SIGTERM");
    expect(await exit).toBe(0);
  });

  it("do not start where the address is taken, and say so", async () => {
    const { url } = await start();
    const taken = new URL(url).host;
    await expect(start({ FERRY_LISTEN: taken, FERRY_WORKERS: "2" })).rejects.toThrow(
      `cannot listen on ${taken}: another program listens there`,
    );
  });

  it("are replaced when one dies", async () => {
    const { url, child, exit, says } = await start({ FERRY_WORKERS: "2", FERRY_ACCESS_LOG: "off" });
    const { text } = await get(url, "/metrics");
    expect(text).toContain("process_resident_memory_bytes");
    const children = await readFile(`/proc/${child.pid ?? 0}/task/${child.pid ?? 0}/children`, "utf8");
    const workers = children.trim().split(" ").map(Number);
    expect(workers.length).toBeGreaterThanOrEqual(2);
    process.kill(workers[0] ?? 0, "SIGKILL");
    await says("another takes its place");
    expect((await get(url, "/a/small")).text).toBe("small");
    child.kill("SIGTERM");
    expect(await exit).toBe(0);
  });

  it("M20: finish their downloads too", async () => {
    const { url, child, exit, says } = await start({ FERRY_WORKERS: "2" });
    const client = await rawClient(url);
    client.get("/a/big");
    await client.stallAfter(1);
    child.kill("SIGTERM");
    await says("stopping");
    client.socket.resume();
    await client.closed;
    expect(splitAnswers(client.received())[0]?.body.equals(BIG)).toBe(true);
    expect(await exit).toBe(0);
  });
});
