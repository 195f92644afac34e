import { describe, expect, it } from "vitest";
import { addRange, gaps, type Range } from "../../../src/net/download/ranges.ts";
import { createRateProbe, nextPiece, SPLIT_POLICY } from "../../../src/net/download/split.ts";

const policy = { probeMs: 200, slowBelow: 1000, busyAbove: 0.7, minPiece: 10, maxPiece: 100 };

describe("nextPiece", () => {
  it("covers what is open in order, in pieces that shrink towards the end", () => {
    let taken: Range[] = [];
    const lengths: number[] = [];
    for (
      let piece = nextPiece(gaps(taken, 1000), 4, policy);
      piece;
      piece = nextPiece(gaps(taken, 1000), 4, policy)
    ) {
      expect(piece.start).toBe(taken[0]?.end ?? 0);
      lengths.push(piece.end - piece.start);
      taken = addRange(taken, piece);
    }
    expect(taken).toEqual([{ start: 0, end: 1000 }]);
    expect(lengths[0]).toBe(100);
    expect(lengths.at(-1)).toBeLessThan(15);
    expect(lengths).toEqual([...lengths].sort((a, b) => b - a));
  });

  it("does not leave a crumb of a gap", () => {
    expect(nextPiece([{ start: 0, end: 14 }], 4, policy)).toEqual({ start: 0, end: 14 });
    expect(nextPiece([], 4, policy)).toBeUndefined();
  });

  it("takes a 20 GB file in a few hundred requests", () => {
    let taken: Range[] = [];
    let count = 0;
    for (
      let piece = nextPiece(gaps(taken, 20e9), 8, SPLIT_POLICY);
      piece;
      piece = nextPiece(gaps(taken, 20e9), 8, SPLIT_POLICY)
    ) {
      taken = addRange(taken, piece);
      count++;
    }
    expect(count).toBeLessThan(400);
  });
});

describe("createRateProbe", () => {
  it("judges windows of receiving", () => {
    const slow = createRateProbe(policy, 0, () => 0);
    expect(slow(100, 50, 0)).toBe(false); // too early to tell
    expect(slow(200, 50, 0)).toBe(true); // 100 bytes in 200 ms
    expect(slow(400, 300, 0)).toBe(false); // 300 bytes in the next 200 ms
  });

  it("does not blame the connection where this process is the slow part", () => {
    const loads = [0, 0.9, 0.9, 0.1];
    const slow = createRateProbe(policy, 0, () => loads.shift() ?? 0);
    expect([slow(200, 1, 0), slow(400, 1, 0), slow(600, 1, 0)]).toEqual([false, false, true]);
  });

  it("does not blame the connection for a slow disk", () => {
    const slow = createRateProbe(policy, 0, () => 0);
    expect(slow(1000, 250, 900)).toBe(false);
    expect(slow(1100, 0, 0)).toBe(false); // 250 bytes in 200 ms of receiving
  });
});
