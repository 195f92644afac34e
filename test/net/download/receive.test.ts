import { describe, expect, it } from "vitest";
import { type Receiver, receive, type Segment } from "../../../src/net/download/receive.ts";
import { fastClock } from "../../support/fast-clock.ts";
import { tickingClock } from "../support/ticking-clock.ts";

interface Log extends Receiver {
  writes: [number, string][];
}

function receiver(unit: number, more: Partial<Receiver> = {}): Log {
  const writes: [number, string][] = [];
  return {
    writes,
    clock: fastClock(),
    unit: () => unit,
    received: () => undefined,
    write: (offset, parts) => {
      writes.push([offset, Buffer.concat(parts).toString()]);
      return Promise.resolve();
    },
    ...more,
  };
}

async function* body(...chunks: (string | Error)[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) {
    await Promise.resolve();
    if (chunk instanceof Error) throw chunk;
    yield Buffer.from(chunk);
  }
}

function segment(start: number, end: number): Segment {
  return { start, end, position: start };
}

describe("receive", () => {
  it("gathers chunks into units, and writes what is left at the end", async () => {
    const into = receiver(4);
    const part = segment(10, 20);
    expect(await receive(body("abc", "def", "g", "hij"), part, into)).toBe("end");
    expect(into.writes).toEqual([
      [10, "abcdef"],
      [16, "ghij"],
    ]);
    expect(part.position).toBe(20);
  });

  it("writes before the unit is full when bytes have waited long", async () => {
    const into = receiver(1000, { clock: tickingClock(2000) });
    await receive(body("a", "b"), segment(0, 2), into);
    expect(into.writes).toEqual([
      [0, "a"],
      [1, "b"],
    ]);
  });

  it("tells an overflow, and writes no byte of it", async () => {
    const into = receiver(100);
    expect(await receive(body("abc", "defg"), segment(0, 5), into)).toBe("overflow");
    expect(await receive(body("abcde", "f"), segment(0, 5), receiver(100))).toBe("overflow");
    expect(into.writes).toEqual([[0, "abcde"]]);
  });

  it("stops where the segment was shortened meanwhile", async () => {
    const part = segment(0, 100);
    const into = receiver(100, {
      received: () => {
        part.end = 5;
      },
    });
    expect(await receive(body("abc", "def", "never"), part, into)).toBe("full");
    expect(into.writes).toEqual([[0, "abcde"]]);
    const exact = segment(0, 100);
    const ending = await receive(
      body("abc", "never"),
      exact,
      receiver(100, { received: () => void (exact.end = 3) }),
    );
    expect([ending, exact.position]).toEqual(["full", 3]);
  });

  it("writes what came before a connection broke, and passes its error on", async () => {
    const into = receiver(100);
    const broken = receive(body("abc", new Error("broken")), segment(0, 5), into);
    await expect(broken).rejects.toThrow("broken");
    expect(into.writes).toEqual([[0, "abc"]]);
  });

  it("ends with the error of a write, whether a body follows or not", async () => {
    const full = (): Promise<void> => Promise.reject(new Error("disk full"));
    await expect(
      receive(body("abc", "def", "ghi"), segment(0, 9), receiver(1, { write: full })),
    ).rejects.toThrow("disk full");
    await expect(receive(body("abc"), segment(0, 9), receiver(100, { write: full }))).rejects.toThrow(
      "disk full",
    );
  });

  it("has one write under way at a time, and reports how long it waited for it", async () => {
    let running = 0;
    let most = 0;
    const clock = { ...fastClock(), at: 0, now: () => clock.at };
    let blocked = 0;
    const into = receiver(3, {
      clock,
      received: (_, waited) => {
        blocked += waited;
      },
      write: async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        clock.at += 10;
        running--;
      },
    });
    await receive(body("abc", "def", "ghi"), segment(0, 9), into);
    expect(most).toBe(1);
    expect(blocked).toBe(20);
  });
});
