import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createBufferPool } from "../../server/senders/buffers.ts";
import { watchIdle } from "../../server/senders/idle-watch.ts";
import { kernelQueue, parseQueue } from "../../server/senders/kernel-queue.ts";

describe("watchIdle", () => {
  /** Lets `looks` quarters of the idle bound pass, with the marks that `tick` sets before each. */
  async function run(
    looks: number,
    tick: (look: number) => { mark?: string; deep?: number },
  ): Promise<number> {
    vi.useFakeTimers();
    try {
      let now: ReturnType<typeof tick> = {};
      let idle = 0;
      const watch = watchIdle({
        idleMs: 4000,
        mark: () => now.mark,
        deepMark: () => Promise.resolve(now.deep),
        onIdle: () => {
          idle += 1;
        },
      });
      for (let look = 0; look < looks; look++) {
        now = tick(look);
        await vi.advanceTimersByTimeAsync(1000);
      }
      watch.stop();
      return idle;
    } finally {
      vi.useRealTimers();
    }
  }

  it("drops a client that takes nothing, once", async () => {
    expect(await run(30, () => ({ mark: "5", deep: 100 }))).toBe(1);
  });

  it("drops it where the system does not say what it holds, too", async () => {
    expect(await run(30, () => ({ mark: "5" }))).toBe(1);
  });

  it("M1: leaves a client alone that takes something now and then", async () => {
    expect(await run(100, (look) => ({ mark: String(Math.floor(look / 4)), deep: 100 }))).toBe(0);
  });

  it("M1: leaves one alone that only the kernel sees move", async () => {
    expect(await run(100, (look) => ({ mark: "5", deep: 1_000_000 - look }))).toBe(0);
  });

  it("does not count the time in which nobody waits for the client", async () => {
    expect(await run(100, () => ({ deep: 100 }))).toBe(0);
  });

  it("is silent once stopped, also in the middle of a look", async () => {
    vi.useFakeTimers();
    let idle = 0;
    let answer: (deep: number) => void = () => undefined;
    const watch = watchIdle({
      idleMs: 4,
      mark: () => "5",
      deepMark: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
      onIdle: () => {
        idle += 1;
      },
    });
    for (let look = 0; look < 5; look++) {
      await vi.advanceTimersByTimeAsync(1);
      answer(7);
    }
    await vi.advanceTimersByTimeAsync(1);
    watch.stop();
    answer(7);
    await vi.advanceTimersByTimeAsync(100);
    vi.useRealTimers();
    expect(idle).toBe(0);
  });
});

describe("parseQueue", () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   1: 0100007F:1F90 0100007F:D431 01 0027AC40:00000000 01:00000014 00000000     0        0 2 2 0 20 4 30 10 -1
   2: 0100007F:1F90 0200007F:D431 01 00000010:00000000 01:00000014 00000000     0        0 3 2 0 20 4 30 10 -1
   3: 0100007F:D431 0100007F:1F90 01 00000000:0027AC40 00:00000000 00000000     0        0 4 2 0 20 4 30 10 -1
`;
  it("adds up what is queued between two ports", () => {
    expect(parseQueue(table, 0x1f90, 0xd431)).toBe(0x27ac40 + 0x10);
    expect(parseQueue(table, 0xd431, 0x1f90)).toBe(0);
    expect(parseQueue(table, 0x1f90, 5)).toBeUndefined();
  });

  it("reads the longer addresses of tcp6", () => {
    const line =
      "   0: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000100007F:D431 01 00000020:00000000 01:0";
    expect(parseQueue(line, 0x1f90, 0xd431)).toBe(0x20);
  });
});

describe("kernelQueue", () => {
  it("M1: sees what the client takes, long before the socket would take more", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
    const socket = await accepted;
    onTestFinished(() => {
      client.destroy();
      socket.destroy();
      server.close();
    });
    socket.write(Buffer.alloc(16 * 1024 * 1024));
    await vi.waitFor(async () => {
      expect(await kernelQueue(socket)).toBeGreaterThan(100_000);
    });
    client.resume();
    await vi.waitFor(async () => {
      expect(await kernelQueue(socket)).toBe(0);
    });
    client.destroy();
    socket.destroy();
    expect(await kernelQueue(socket)).toBeUndefined();
  });
});

describe("createBufferPool", () => {
  it("M19: gives the many less each, so that all together stay bounded", () => {
    const pool = createBufferPool();
    const lent = Array.from({ length: 512 }, () => pool.take());
    expect(lent[0]?.length).toBe(512 * 1024);
    expect(lent.at(-1)?.length).toBe(64 * 1024);
    expect(pool.lent).toBeLessThan(90 * 1024 * 1024);
    for (const buffer of lent) pool.give(buffer);
    expect(pool.lent).toBe(0);
    expect(pool.take().length).toBe(512 * 1024);
  });

  it("never lends one buffer to two", () => {
    const pool = createBufferPool();
    const first = pool.take(64 * 1024);
    pool.give(first);
    expect(pool.take(64 * 1024)).toBe(first);
    expect(pool.take(64 * 1024)).not.toBe(first);
  });
});
