import { describe, expect, it } from "vitest";
import { parseSpec } from "../../src/bundle/spec.ts";
import { isFerryError } from "../../src/errors.ts";

const GOOD = `name: site-a
engines:
  - engine: llamacpp
    versions: [b11347]
    arch: [amd64, arm64]
    variants: [cpu, cuda]
assets:
  - repo: astral-sh/uv
    tag: 0.12.23
    include: ["uv-*-unknown-linux-gnu.tar.gz"]
`;

function refusal(text: string): string {
  try {
    parseSpec(text, "s.yaml");
  } catch (error) {
    expect(isFerryError(error, "SPEC_INVALID")).toBe(true);
    return (error as Error).message;
  }
  throw new Error("the spec was accepted");
}

it("reads the contract's example", () => {
  expect(parseSpec(GOOD, "s.yaml")).toEqual({
    name: "site-a",
    counter: 1,
    engines: [
      { engine: "llamacpp", versions: ["b11347"], arch: ["amd64", "arm64"], variants: ["cpu", "cuda"] },
    ],
    assets: [{ repo: "astral-sh/uv", tag: "0.12.23", include: ["uv-*-unknown-linux-gnu.tar.gz"] }],
  });
});

it("fills in both architectures and leaves variants to the recipe", () => {
  const spec = parseSpec("name: a\nengines:\n  - engine: uv\n    versions: [latest]\n", "s.yaml");
  expect(spec.engines).toEqual([{ engine: "uv", versions: ["latest"], arch: ["amd64", "arm64"] }]);
});

describe("B21: refuses with file, line, column and key path", () => {
  it.each([
    [
      "a duplicate key",
      GOOD.replace("    arch:", "    versions: [b1]\n    arch:"),
      "s.yaml:5:5: engines[0].versions: stands here a second time",
    ],
    ["an unknown key", `${GOOD}concurrency: 0\n`, "s.yaml:11:1: concurrency: unknown key"],
    [
      "an unknown key deep inside",
      GOOD.replace("    arch:", "    archs:"),
      "s.yaml:5:5: engines[0].archs: unknown key",
    ],
    [
      "a version with dots to climb",
      GOOD.replace("b11347", "../x"),
      "s.yaml:4:16: engines[0].versions[0]: must be a version",
    ],
    [
      "a version with a space",
      GOOD.replace("b11347", '"a b"'),
      "s.yaml:4:16: engines[0].versions[0]: must be a version",
    ],
    [
      "no versions",
      GOOD.replace("[b11347]", "[]"),
      "s.yaml:4:5: engines[0].versions: must name at least one",
    ],
    ["an empty engines list", "name: a\nengines: []\n", "s.yaml:2:1: engines: must name at least one engine"],
    ["neither engines nor assets", "name: a\n", "names neither engines nor assets"],
    [
      "the same version twice",
      GOOD.replace("[b11347]", "[b11347, b11347]"),
      "engines[0].versions: names one twice",
    ],
    ["an unknown architecture", GOOD.replace("arm64", "riscv64"), "s.yaml:5:19: engines[0].arch[1]"],
    ["a counter of 0", `counter: 0\n${GOOD}`, "s.yaml:1:1: counter"],
    ["a name with a slash", GOOD.replace("site-a", "../site"), "s.yaml:1:1: name"],
    [
      "a repository without an owner",
      GOOD.replace("astral-sh/uv", "uv"),
      "assets[0].repo: must be OWNER/NAME",
    ],
    ["a tag that climbs", GOOD.replace("0.12.23", "a/../../b"), "assets[0].tag: must be a tag"],
    ["a version that YAML reads as a number", GOOD.replace("0.12.23", "1.10"), "assets[0].tag"],
    ["broken YAML", "name: [a\n", /s\.yaml:\d+:\d+: /],
    ["two documents", `${GOOD}---\nname: b\n`, /s\.yaml:11:1: /],
    ["a list in place of the spec", "- a\n", "(document)"],
    ["nothing", "  \n", "s.yaml is empty"],
  ])("%s", (_what, text, expected) => {
    const message = refusal(text);
    if (typeof expected === "string") expect(message).toContain(expected);
    else expect(message).toMatch(expected);
  });

  it("reports every fault at once", () => {
    const message = refusal(`${GOOD.replace("b11347", "../x")}concurrency: 0\njobs: 3\n`);
    expect(message).toContain("3 faults in s.yaml");
    expect(message).toContain("concurrency: unknown key");
    expect(message).toContain("jobs: unknown key");
  });
});
