import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { drain } from "../../server/drain.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/log.ts";
import { type TestMirror, testMirror } from "../support/mirror-server.ts";
import { rawClient, splitAnswers } from "../support/raw-client.ts";
import { servedStore } from "../support/served-store.ts";
import { tmpDir } from "../support/tmp.ts";

// More than the kernel holds for a client that does not read.
const BIG = randomBytes(32 * 1024 * 1024);

let mirror: TestMirror;
let draining: boolean;
beforeEach(async () => {
  draining = false;
  const store = await servedStore(await tmpDir());
  await store.add({ name: "a", files: { "a/big": BIG, "a/small": "small" } });
  mirror = await testMirror(store.root, { draining: () => draining });
});

/** A clock on which time passes when the test says so. */
function heldClock(): Clock & { pass: () => void; waited: Promise<number> } {
  let pass: () => void = () => undefined;
  let tell: (ms: number) => void = () => undefined;
  const waited = new Promise<number>((resolve) => {
    tell = resolve;
  });
  return {
    waited,
    pass: () => {
      pass();
    },
    now: () => 0,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        pass = resolve;
        signal?.addEventListener("abort", () => {
          reject(new Error("no longer"));
        });
        tell(ms);
      }),
  };
}

describe("stopping", () => {
  it("M20: takes no more connections, finishes running downloads, and ends idle ones", async () => {
    const idle = await rawClient(mirror.url);
    idle.get("/a/small");
    await idle.stallAfter(1);
    idle.socket.resume();
    const client = await rawClient(mirror.url);
    client.get("/a/big");
    await client.stallAfter(1);

    draining = true;
    const clock = heldClock();
    const stopped = drain(mirror.server, { delayMs: 0, timeoutMs: 30_000, clock, logger: silentLogger });
    expect(await clock.waited).toBe(30_000);
    await idle.closed;
    await expect(rawClientRefused(mirror.url)).resolves.toBe("ECONNREFUSED");

    client.socket.resume();
    await stopped;
    await client.closed;
    const [answer] = splitAnswers(client.received());
    expect(answer?.body.equals(BIG)).toBe(true);
  });

  it("M20: cuts what still runs when the time is over", async () => {
    const client = await rawClient(mirror.url);
    client.get("/a/big");
    await client.stallAfter(1);
    const said: string[] = [];
    const clock = heldClock();
    const logger = { ...silentLogger, warn: (message: string) => void said.push(message) };
    const stopped = drain(mirror.server, { delayMs: 0, timeoutMs: 7000, clock, logger });
    await clock.waited;
    clock.pass();
    await stopped;
    client.socket.resume();
    await client.closed;
    expect(splitAnswers(client.received())[0]?.body.length).toBeLessThan(BIG.length);
    expect(said).toEqual(["cutting what still runs 7 s after the stop"]);
    expect((await mirror.logged(1))[0]).toMatchObject({ path: "/a/big", cut: true });
  });

  it("M20: says that it is not ready before it stops taking connections", async () => {
    draining = true;
    const clock = heldClock();
    const stopped = drain(mirror.server, { delayMs: 5000, timeoutMs: 30_000, clock, logger: silentLogger });
    expect(await clock.waited).toBe(5000);
    expect((await mirror.get("/readyz")).status).toBe(503);
    expect((await mirror.get("/a/small")).text).toBe("small");
    clock.pass();
    await stopped;
    await expect(rawClientRefused(mirror.url)).resolves.toBe("ECONNREFUSED");
  });
});

describe("clients", () => {
  it("M1: one that takes longer than the idle bound, and never stands still, gets all of it", async () => {
    const store = await servedStore(await tmpDir());
    await store.add({ name: "a", files: { "a/big": BIG } });
    const { createStreamSender } = await import("../../server/senders/stream.ts");
    const idleMs = 1000;
    const slow = await testMirror(store.root, { idleMs, sender: createStreamSender({ idleMs }) });
    const client = await rawClient(slow.url);
    client.get("/a/big");
    const began = systemClock.now();
    // Takes a little, waits a little, until more than the bound has gone by; then the rest.
    while (systemClock.now() - began < 3 * idleMs) {
      await client.stallAfter(1);
      await systemClock.sleep(50);
      client.socket.resume();
    }
    await slow.logged(1);
    const complete = (): boolean => (splitAnswers(client.received())[0]?.body.length ?? 0) === BIG.length;
    while (!complete()) await systemClock.sleep(10);
    expect(slow.log[0]).toMatchObject({ status: 200, bytes: BIG.length, cut: undefined });
  });

  it("M19: are bounded in number, and those that are refused are said once", async () => {
    const store = await servedStore(await tmpDir());
    await store.add({ name: "a", files: { "a/big": BIG } });
    const bounded = await testMirror(store.root, { maxConnections: 2 });
    const clients = [await rawClient(bounded.url), await rawClient(bounded.url)];
    for (const client of clients) {
      client.get("/a/big");
      await client.stallAfter(1);
    }
    const third = await rawClient(bounded.url);
    await third.closed;
    expect(bounded.said.filter((line) => line.includes("connection refused: 2 are open"))).toHaveLength(1);
    for (const client of clients) client.socket.resume();
    await bounded.logged(2);
  });
});

async function rawClientRefused(origin: string): Promise<string> {
  const { connect } = await import("node:net");
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(origin).port), "127.0.0.1");
    socket.on("connect", () => {
      socket.destroy();
      resolve("connected");
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      resolve(String(error.code));
    });
  });
}
