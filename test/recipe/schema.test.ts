import { describe, expect, it } from "vitest";
import { isFerryError } from "../../src/errors.ts";
import { parseYamlAs } from "../../src/lib/yaml-file.ts";
import { Recipe } from "../../src/recipe/schema.ts";

const SOUND = `label: Plain
github: owner/plain
versions:
  pattern: '^[0-9]+\\.[0-9]+$'
  ordering: pep440
  example: '1.0'
arch: { amd64: x64, arm64: arm64 }
builds:
  - variant: cpu
    when: { gpu: none }
    binary: plain
    assets: ['plain-{version}-{arch}.tar.gz']
  - variant: gpu-2.*
    assume: gpu-2.1
    when: { gpu: nvidia }
    binary: plain
    assets: ['plain-{variant}.tar.gz']
`;

function faultsOf(text: string): string[] {
  try {
    parseYamlAs(Recipe, text, "plain.yaml", "RECIPE_INVALID");
  } catch (error) {
    if (!isFerryError(error, "RECIPE_INVALID")) throw error;
    return error.details?.["problems"] as string[];
  }
  return [];
}

/** The sound recipe with one piece of text replaced; the piece must be there. */
function changed(piece: string, by: string): string {
  expect(SOUND).toContain(piece);
  return SOUND.replace(piece, () => by);
}

const CPU_ASSETS = "assets: ['plain-{version}-{arch}.tar.gz']";

describe("a recipe's schema", () => {
  it("takes a sound recipe", () => {
    expect(faultsOf(SOUND)).toEqual([]);
  });

  it.each([
    ["an unknown key", changed("label:", "colour: red\nlabel:"), "plain.yaml:1:1: colour: unknown key"],
    [
      "an unknown key of a build",
      changed(
        "    binary: plain\n    assets: ['plain-{version}",
        "    binry: x\n    binary: plain\n    assets: ['plain-{version}",
      ),
      "plain.yaml:11:5: builds[0].binry: unknown key",
    ],
    [
      "a duplicate key",
      changed("label:", "label: Other\nlabel:"),
      "plain.yaml:2:1: label: stands here a second time",
    ],
    [
      "a number for text",
      changed("label: Plain", "label: 3"),
      "plain.yaml:1:1: label: Invalid input: expected string, received number",
    ],
    [
      "no builds",
      SOUND.replace(/builds:[^]*/, "builds: []\n"),
      "plain.yaml:8:1: builds: must hold at least one build",
    ],
    [
      "no architecture",
      changed("{ amd64: x64, arm64: arm64 }", "{}"),
      "plain.yaml:7:1: arch: must name at least one architecture",
    ],
    [
      "an unknown placeholder",
      changed("{version}", "{versoin}"),
      "plain.yaml:12:14: builds[0].assets[0]: unknown placeholder {versoin}; there are {version}, {number}, {tag}, {arch}, {variant}, {label}",
    ],
    [
      "a lone brace",
      changed("{version}", "{version"),
      "plain.yaml:12:14: builds[0].assets[0]: a lone {; write {{ for the brace itself",
    ],
    [
      "a pattern without anchors",
      changed("'^[0-9]+\\.[0-9]+$'", "'[0-9]+'"),
      "plain.yaml:4:3: versions.pattern: must begin with ^ and end with $",
    ],
    [
      "an example that is no version",
      changed("'1.0'", "'v1'"),
      "plain.yaml:6:3: versions.example: does not match versions.pattern",
    ],
    [
      "two builds of one name",
      changed("variant: gpu-2.*\n    assume: gpu-2.1\n    when: { gpu: nvidia }", "variant: cpu"),
      "plain.yaml:13:5: builds[1].variant: clashes with build 1: both are cpu where both hold",
    ],
    [
      "a family and its member",
      changed("variant: cpu\n    when: { gpu: none }", "variant: gpu-2.3"),
      "plain.yaml:12:5: builds[1].variant: clashes with build 1: both are gpu-2.* where both hold",
    ],
    [
      "a family without a member",
      changed("    assume: gpu-2.1\n", ""),
      "plain.yaml:13:5: builds[1].variant: is a family and needs assume: the member where no release is at hand",
    ],
    [
      "a member of another family",
      changed("assume: gpu-2.1", "assume: gpu-3.1"),
      "plain.yaml:14:5: builds[1].assume: is no member of gpu-2.*: a number must stand for the *",
    ],
    [
      "a member of no family",
      changed("variant: cpu", "variant: cpu\n    assume: cpu-1"),
      "plain.yaml:10:5: builds[0].assume: is for families alone: variants that end in *",
    ],
    [
      "a family that no name tells apart",
      changed("plain-{variant}", "plain"),
      "plain.yaml:13:5: builds[1].variant: is a family, but no asset has {variant} in its name",
    ],
    [
      "a rule never reached",
      changed(
        "    binary: plain\n    assets: ['plain-{version}",
        "    cpuFlags:\n      - { when: { arch: amd64 }, value: [a] }\n      - { when: { arch: [amd64] }, value: [b] }\n    binary: plain\n    assets: ['plain-{version}",
      ),
      "plain.yaml:13:9: builds[0].cpuFlags[1]: is never reached: rule 1 holds wherever this one does",
    ],
    [
      "a span of no versions",
      changed("when: { gpu: none }", "when: { version: '>=2 <1' }"),
      'plain.yaml:10:13: builds[0].when.version: ">=2 <1" holds no version',
    ],
    [
      "a span that is none",
      changed("when: { gpu: none }", "when: { version: '~=2' }"),
      'plain.yaml:10:13: builds[0].when.version: "~=2" is no span of versions; write ">=0.20", "<0.20" or both with a space between',
    ],
    [
      "a card in a build's value",
      changed(CPU_ASSETS, "assets:\n      - { when: { cc: [8.6] }, value: [x] }"),
      "plain.yaml:13:19: builds[0].assets[0].when.cc: unknown key",
    ],
    [
      "a condition on an absent architecture",
      changed("arm64: arm64 }", "}").replace("when: { gpu: none }", "when: { arch: arm64 }"),
      "plain.yaml:10:13: builds[0].when.arch: arm64 is not under arch",
    ],
    [
      "nothing to fetch",
      changed(`    ${CPU_ASSETS}\n`, ""),
      "plain.yaml:9:5: builds[0]: names nothing to fetch: assets, requirements, wheel or source",
    ],
    [
      "no repository",
      changed("github: owner/plain\n", ""),
      "plain.yaml:8:5: builds[0]: takes files from a release, but the recipe names no github",
    ],
    [
      "a requirement without Python",
      changed(CPU_ASSETS, "requirements: [plain]"),
      'plain.yaml:9:5: builds[0]: needs python: for example "3.12"',
    ],
    [
      "Python's version as a number",
      changed(CPU_ASSETS, "requirements: [plain]\n    python: 3.12"),
      "plain.yaml:13:5: builds[0].python: Invalid input: expected string, received number",
    ],
    [
      "an asset twice",
      changed(CPU_ASSETS, "assets: [a, a]"),
      "plain.yaml:12:5: builds[0].assets: names one twice",
    ],
    [
      "a folder outside",
      changed(CPU_ASSETS, `${CPU_ASSETS}\n    assetDir: ../x`),
      "plain.yaml:13:5: builds[0].assetDir: must be a relative folder without . or ..",
    ],
    [
      "an alias of nothing",
      changed("builds:", "aliases: { gpu: cuda }\nbuilds:"),
      "plain.yaml:8:12: aliases.gpu: no build is named cuda",
    ],
    [
      "a pin without a source",
      changed(
        "builds:",
        `releases: { '1.0': { sha256: ${"a".repeat(64)}, published: 2026-10-08T21:58:07Z } }\nbuilds:`,
      ),
      "plain.yaml:8:1: releases: pins source archives, but no build has a source",
    ],
    [
      "a fallback without a minimum",
      changed("builds:", "fallback: { version: '0.9', note: older }\nbuilds:"),
      "plain.yaml:8:1: fallback: needs minCompute: below it the fallback is taken",
    ],
    [
      "compute capabilities upside down",
      changed("when: { gpu: none }", "needs: { cc: { min: 9, max: 8 } }"),
      "plain.yaml:10:14: builds[0].needs.cc: holds no compute capability: min is above max",
    ],
    [
      "a pattern that is none",
      changed("'^[0-9]+\\.[0-9]+$'", "'^[0-9$'"),
      "plain.yaml:4:3: versions.pattern: Invalid regular expression: /^[0-9$/u: Unterminated character class",
    ],
    [
      "a fallback that is no version",
      changed("builds:", "minCompute: 7.5\nfallback: { version: old, note: older }\nbuilds:"),
      "plain.yaml:9:13: fallback.version: does not match versions.pattern",
    ],
    [
      "a pin of no version",
      changed(
        "builds:",
        `releases: { x: { sha256: ${"a".repeat(64)}, published: 2026-10-08T21:58:07Z } }\nbuilds:`,
      ),
      "plain.yaml:8:13: releases.x: does not match versions.pattern",
    ],
    [
      "an alias of itself",
      changed("builds:", "aliases: { cpu: cpu }\nbuilds:"),
      "plain.yaml:8:12: aliases.cpu: stands for itself",
    ],
  ])("B21: names file, line, column and key path of %s", (_, text, fault) => {
    expect(faultsOf(text)).toContain(fault);
  });

  it("reports every fault at once", () => {
    const faults = faultsOf(
      changed("label: Plain", "label: 3")
        .replace("{version}", "{nope}")
        .replace("ordering: pep440", "ordering: semver"),
    );
    expect(faults).toHaveLength(3);
  });

  it("lets two builds of one name stand where they never meet", () => {
    const text = changed("    when: { gpu: none }", "    when: { gpu: none, version: '<1.2' }").replace(
      "  - variant: gpu-2.*",
      "  - { variant: cpu, when: { version: '>=1.2' }, binary: plain, assets: [other] }\n  - variant: gpu-2.*",
    );
    expect(faultsOf(text)).toEqual([]);
  });

  it("survives the way through a document as plain JSON", () => {
    const recipe = parseYamlAs(Recipe, SOUND, "plain.yaml", "RECIPE_INVALID");
    expect(Recipe.parse(JSON.parse(JSON.stringify(recipe)))).toEqual(recipe);
  });
});
