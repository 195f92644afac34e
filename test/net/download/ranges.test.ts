import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addRange, contiguousEnd, gaps, type Range, totalLength } from "../../../src/net/download/ranges.ts";

function build(...pairs: [number, number][]): Range[] {
  return pairs.reduce<Range[]>((all, [start, end]) => addRange(all, { start, end }), []);
}

describe("ranges", () => {
  it.each<[[number, number][], [number, number][]]>([
    [[[0, 5]], [[0, 5]]],
    [
      [
        [0, 5],
        [5, 9],
      ],
      [[0, 9]],
    ],
    [
      [
        [5, 9],
        [0, 5],
      ],
      [[0, 9]],
    ],
    [
      [
        [0, 2],
        [6, 8],
        [3, 4],
      ],
      [
        [0, 2],
        [3, 4],
        [6, 8],
      ],
    ],
    [
      [
        [0, 2],
        [6, 8],
        [1, 7],
      ],
      [[0, 8]],
    ],
    [[[3, 3]], []],
  ])("%j merge to %j", (added, expected) => {
    expect(build(...added).map(({ start, end }) => [start, end])).toEqual(expected);
  });

  it("tells the frontier, the sum and what is open", () => {
    const ranges = build([0, 10], [20, 30]);
    expect(contiguousEnd(ranges)).toBe(10);
    expect(contiguousEnd(build([1, 5]))).toBe(0);
    expect(totalLength(ranges)).toBe(20);
    expect(gaps(ranges, 40)).toEqual([
      { start: 10, end: 20 },
      { start: 30, end: 40 },
    ]);
    expect(gaps(ranges, 30)).toEqual([{ start: 10, end: 20 }]);
    expect(gaps([], Number.POSITIVE_INFINITY)).toEqual([{ start: 0, end: Number.POSITIVE_INFINITY }]);
  });

  it("agrees with a set of bytes, whatever is added in whatever order", () => {
    const pair = fc
      .tuple(fc.nat(60), fc.nat(20))
      .map(([start, length]): [number, number] => [start, start + length]);
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 12 }), (pairs) => {
        const bytes = new Set(
          pairs.flatMap(([start, end]) => Array.from({ length: end - start }, (_, i) => start + i)),
        );
        const ranges = build(...pairs);
        expect(totalLength(ranges)).toBe(bytes.size);
        expect(totalLength(gaps(ranges, 100))).toBe(100 - bytes.size);
        for (const [i, range] of ranges.entries()) {
          expect(range.start).toBeGreaterThan(ranges[i - 1]?.end ?? -1);
        }
      }),
    );
  });
});
