import { describe, expect, it } from "vitest";
import { covers, type Facts, holds, overlaps, type When } from "../../src/recipe/when.ts";

const facts: Facts = { version: "0.20.0", arch: "amd64", gpu: "nvidia", cc: 8.6 };

describe("conditions", () => {
  it.each<[When, boolean]>([
    [{}, true],
    [{ version: ">=0.20", arch: "amd64", gpu: "nvidia", cc: [8.6] }, true],
    [{ version: "<0.20" }, false],
    [{ arch: ["arm64"] }, false],
    [{ gpu: "none" }, false],
    [{ cc: [8.9] }, false],
    [{ cc: { min: 7.5 } }, true],
    [{ cc: { max: 8.0 } }, false],
  ])("%j", (when, expected) => {
    expect(holds(when, facts, "pep440", false)).toBe(expected);
  });

  it("asks the caller what an unknown card means", () => {
    const unknown = { ...facts, cc: 0 };
    expect(holds({ cc: [8.6] }, unknown, "pep440", true)).toBe(true);
    expect(holds({ cc: { min: 5 } }, unknown, "pep440", false)).toBe(false);
  });

  it.each<[When | undefined, When | undefined, boolean, boolean]>([
    [undefined, { arch: "amd64" }, true, true],
    [{}, undefined, true, true],
    [{ arch: "amd64" }, undefined, true, false],
    [{ arch: ["amd64", "arm64"] }, { arch: "amd64" }, true, true],
    [{ arch: "amd64" }, { arch: "arm64" }, false, false],
    [{ gpu: "none" }, { gpu: "nvidia" }, false, false],
    [{ gpu: "none" }, { arch: "amd64" }, true, false],
    [{ version: ">=1" }, { version: "<1" }, false, false],
    [{ version: "<2" }, { version: "<1" }, true, true],
    [{ cc: [8.6, 8.9] }, { cc: [8.6] }, true, true],
    [{ cc: [8.6] }, { cc: { min: 8.9 } }, false, false],
    [{ cc: { min: 8 } }, { cc: [8.6] }, true, true],
    [{ cc: { min: 5, max: 6 } }, { cc: { min: 7 } }, false, false],
    [{ cc: { min: 5 } }, { cc: { min: 7, max: 8 } }, true, true],
    [{ cc: [8.6] }, { cc: { min: 8, max: 9 } }, true, false],
    [{ cc: [8.6] }, {}, true, false],
  ])("%j and %j: overlap %s, cover %s", (a, b, overlapping, covering) => {
    expect(overlaps(a, b, "pep440")).toBe(overlapping);
    expect(overlaps(b, a, "pep440")).toBe(overlapping);
    expect(covers(a, b, "pep440")).toBe(covering);
  });
});
