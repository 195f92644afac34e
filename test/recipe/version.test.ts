import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compareVersions,
  numbersOf,
  parseSpan,
  type Span,
  spanCovers,
  spanHolds,
  spansOverlap,
} from "../../src/recipe/version.ts";

const span = (text: string): Span => {
  const parsed = parseSpan(text, "pep440");
  if (typeof parsed === "string") throw new Error(parsed);
  return parsed;
};

describe("versions", () => {
  it.each([
    ["b11347", "number", [11347]],
    ["v0.20.0rc1", "pep440", [0, 20, 0]],
    ["0.5", "pep440", [0, 5]],
    ["nightly", "pep440", undefined],
    ["nightly", "number", undefined],
  ] as const)("reads the numbers of %s (%s)", (text, ordering, numbers) => {
    expect(numbersOf(text, ordering)).toEqual(numbers);
  });

  it("orders llama.cpp's by number, not as text", () => {
    expect(["b9999", "b20000", "b11347"].sort((a, b) => compareVersions(b, a, "number"))).toEqual([
      "b20000",
      "b11347",
      "b9999",
    ]);
  });

  it("orders Python's by part, with pre-releases before and post-releases after", () => {
    const ordered = [
      "0.9.2",
      "0.20.0.dev2",
      "0.20.0a1.dev1",
      "0.20.0a1",
      "0.20.0b2",
      "0.20.0rc1",
      "0.20.0rc2",
      "0.20.0",
      "0.20.0.post1",
      "0.20.1",
      "v0.100.0",
    ];
    expect([...ordered].reverse().sort((a, b) => compareVersions(a, b, "pep440"))).toEqual(ordered);
    expect(compareVersions("0.20", "v0.20.0", "pep440")).toBe(0);
  });

  it.each([
    [">=0.20", "0.20.0", true],
    [">=0.20", "0.20.0rc1", true],
    [">=0.20", "0.19.9", false],
    [">=0.20", "1.0", true],
    ["<0.20", "0.9.2", true],
    ["<0.20", "v0.19.1.post1", true],
    ["<0.20", "0.20", false],
    [">=0.13 <0.20", "0.13.0", true],
    [">=0.13 <0.20", "0.12.9", false],
  ])("%s holds for %s: %s", (text, version, expected) => {
    expect(spanHolds(span(text), version, "pep440")).toBe(expected);
  });

  it.each(["", "0.20", "==0.20", ">=x", ">=0.20 >=0.21", ">= 0.20", ">=0.20 <0.20"])(
    "refuses the span %j",
    (text) => {
      expect(parseSpan(text, "pep440")).toBeTypeOf("string");
    },
  );

  it("agrees with itself: what covers also overlaps and holds", () => {
    const part = fc.integer({ min: 0, max: 5 });
    const someSpan = fc.record({
      from: fc.option(part, { nil: undefined }),
      below: fc.option(fc.integer({ min: 6, max: 9 }), { nil: undefined }),
    });
    const made = someSpan.map(
      ({ from, below }): Span => ({
        from: from === undefined ? undefined : [from],
        below: below === undefined ? undefined : [below],
      }),
    );
    fc.assert(
      fc.property(made, made, fc.integer({ min: 0, max: 9 }), (a, b, n) => {
        const inB = spanHolds(b, String(n), "pep440");
        if (spanCovers(a, b) && inB) expect(spanHolds(a, String(n), "pep440")).toBe(true);
        if (inB && spanHolds(a, String(n), "pep440")) expect(spansOverlap(a, b)).toBe(true);
      }),
    );
    expect(spansOverlap(span("<0.20"), span(">=0.20"))).toBe(false);
  });
});
