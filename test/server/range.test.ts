import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluateRange, type RangeOutcome } from "../../server/range.ts";

const whole: RangeOutcome = { kind: "whole" };
const unsatisfiable: RangeOutcome = { kind: "unsatisfiable" };
const part = (start: number, end: number): RangeOutcome => ({ kind: "part", start, end });

describe("evaluateRange", () => {
  it.each<[string | undefined, number, RangeOutcome]>([
    [undefined, 1000, whole],
    ["bytes=0-524287", 1_000_000, part(0, 524_287)],
    ["bytes=0-0", 1000, part(0, 0)],
    ["bytes=999-999", 1000, part(999, 999)],
    ["bytes=0-999", 1000, part(0, 999)],
    ["bytes=500-", 1000, part(500, 999)],
    ["bytes=-300", 1000, part(700, 999)],
    ["bytes=-1", 1000, part(999, 999)],
    ["bytes=-5000", 1000, part(0, 999)],
    ["bytes=990-5000", 1000, part(990, 999)],
    ["Bytes=1-2", 1000, part(1, 2)],
    ["bytes=007-0010", 1000, part(7, 10)],
    // beyond the end
    ["bytes=1000-", 1000, unsatisfiable],
    ["bytes=1000-1001", 1000, unsatisfiable],
    ["bytes=-0", 1000, unsatisfiable],
    ["bytes=99999999999999999999999-", 1000, unsatisfiable],
    ["bytes=0-99999999999999999999999", 1000, part(0, 999)],
    ["bytes=-99999999999999999999999", 1000, part(0, 999)],
    ["bytes=4294967296-4294967299", 5_000_000_000, part(4_294_967_296, 4_294_967_299)],
    // an empty file
    ["bytes=0-", 0, unsatisfiable],
    ["bytes=0-0", 0, unsatisfiable],
    ["bytes=-5", 0, whole],
    ["bytes=-0", 0, unsatisfiable],
    // several
    ["bytes=0-1,5-6", 1000, whole],
    ["bytes=0-1, 2000-", 1000, part(0, 1)],
    ["bytes=2000-,-2", 1000, part(998, 999)],
    ["bytes=2000-,3000-4000", 1000, unsatisfiable],
    ["bytes= 0-1 ,, ", 1000, part(0, 1)],
    ["bytes=0-1,x", 1000, whole],
    // nothing that RFC 9110 knows
    ["bytes=", 1000, whole],
    ["bytes=,", 1000, whole],
    ["bytes=-", 1000, whole],
    ["bytes=5-4", 1000, whole],
    ["bytes=99999999999999999999999-99999999999999999999998", 1000, whole],
    ["bytes=a-b", 1000, whole],
    ["bytes=1", 1000, whole],
    ["bytes=1-2-3", 1000, whole],
    ["bytes=+1-2", 1000, whole],
    ["bytes=0x0-0x5", 1000, whole],
    ["bytes 0-1", 1000, whole],
    ["items=0-1", 1000, whole],
    ["0-1", 1000, whole],
    ["", 1000, whole],
  ])("%s of %d bytes", (header, size, expected) => {
    expect(evaluateRange(header, size)).toEqual(expected);
  });

  it("agrees with a list of every byte that a valid header names", () => {
    const size = fc.integer({ min: 0, max: 60 });
    const number = fc.integer({ min: 0, max: 80 });
    const spec = fc.oneof(
      fc.tuple(number, number).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
      number.map((first) => `${first}-`),
      number.map((suffix) => `-${suffix}`),
    );
    fc.assert(
      fc.property(fc.array(spec, { minLength: 1, maxLength: 4 }), size, (specs, bytes) => {
        const named = specs.map((each) => bytesNamed(each, bytes)).filter((list) => list.length > 0);
        const outcome = evaluateRange(`bytes=${specs.join(", ")}`, bytes);
        const emptySuffix = bytes === 0 && specs.some((each) => /^-0*[1-9]/.test(each));
        const [only] = named;
        let expected: RangeOutcome = emptySuffix ? whole : unsatisfiable;
        if (named.length > 1) expected = whole;
        else if (only !== undefined) expected = part(only[0] ?? 0, only.at(-1) ?? 0);
        expect(outcome).toEqual(expected);
      }),
    );
  });

  it("answers whatever it is given, and never with bytes that do not exist", () => {
    const noise = fc.oneof(
      fc.string(),
      fc
        .string({ unit: fc.constantFrom(...Array.from("bytes=0123456789-, \t;")) })
        .map((text) => `bytes=${text}`),
    );
    fc.assert(
      fc.property(noise, fc.maxSafeNat(), (header, size) => {
        const outcome = evaluateRange(header, size);
        if (outcome.kind !== "part") return;
        expect(Number.isSafeInteger(outcome.start) && Number.isSafeInteger(outcome.end)).toBe(true);
        expect(outcome.start).toBeGreaterThanOrEqual(0);
        expect(outcome.start).toBeLessThanOrEqual(outcome.end);
        expect(outcome.end).toBeLessThan(size);
      }),
    );
  });

  it("takes time in proportion to the header", () => {
    expect(evaluateRange(`bytes=${"0-0,".repeat(4000)}`, 10)).toEqual(whole);
    expect(evaluateRange(`bytes=${" \t".repeat(8000)}x`, 10)).toEqual(whole);
  });
});

/** The positions that one valid spec names in a file of `size` bytes, by trying each. */
function bytesNamed(spec: string, size: number): number[] {
  const [first = "", last = ""] = spec.split("-");
  const all = Array.from({ length: size }, (_, position) => position);
  if (first === "") return all.slice(Math.max(0, size - Number(last)));
  return all.filter((at) => at >= Number(first) && (last === "" || at <= Number(last)));
}
