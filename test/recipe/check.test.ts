import { describe, expect, it } from "vitest";
import { type RecipeCase, RecipeCase as Schema } from "../../src/recipe/cases.ts";
import { runCase } from "../../src/recipe/check.ts";
import { builtinTable } from "../support/recipes.ts";

const table = await builtinTable();
const run = (engine: string, one: RecipeCase): string | undefined =>
  runCase(table, engine, Schema.parse(one));
const cpu = { version: "b11347", arch: "amd64" };
const unpinned = { version: "0.39.1", arch: "amd64", driver: "580", cc: 8 };

describe("a worked case", () => {
  it.each<[string, RecipeCase, RegExp | undefined]>([
    ["llamacpp", { candidates: cpu, gives: ["cpu"] }, undefined],
    ["llamacpp", { candidates: cpu, gives: ["vulkan"] }, /^gives cpu, must give vulkan$/],
    ["llamacpp", { candidates: cpu, refuses: "NO_BUILD" }, /^gives cpu, must refuse with NO_BUILD$/],
    [
      "llamacpp",
      { candidates: { ...cpu, version: "x" }, gives: ["cpu"] },
      /^is refused: "x" is not a version/,
    ],
    [
      "llamacpp",
      { candidates: { ...cpu, version: "x" }, refuses: "NO_BUILD" },
      /^is refused with VERSION_INVALID, must be NO_BUILD/,
    ],
    [
      "llamacpp",
      { candidates: cpu, gives: ["cpu"], with: { cpu: { binary: "other" } } },
      /^cpu.binary is "llama-server", must be "other"$/,
    ],
    [
      "llamacpp",
      { candidates: cpu, gives: ["cpu"], with: { cpu: { note: "n" } } },
      /^cpu.note is absent, must be "n"$/,
    ],
    [
      "llamacpp",
      { candidates: cpu, gives: ["cpu"], with: { vulkan: {} } },
      /^says something of vulkan, which is not given$/,
    ],
    [
      "llamacpp",
      { candidates: { ...cpu, assets: [] }, gives: ["cpu"] },
      /^cpu has .* no assets at all, must have none$/,
    ],
    [
      "llamacpp",
      { candidates: cpu, gives: ["cpu"], problems: { cpu: "UPSTREAM_AMBIGUOUS" } },
      /^cpu has no problem, must have UPSTREAM_AMBIGUOUS$/,
    ],
    [
      "vllm",
      { candidates: { version: "0.30.0", arch: "amd64" }, refuses: "NO_BUILD", notHere: true },
      undefined,
    ],
    [
      "vllm",
      { candidates: { version: "0.30.0", arch: "amd64" }, refuses: "NO_BUILD" },
      /^is "not here", must be a fault$/,
    ],
    [
      "comfyui",
      { candidates: unpinned, refuses: "SOURCE_UNPINNED", notHere: true },
      /^is a fault, must be "not here"/,
    ],
    ["comfyui", { candidates: unpinned, refuses: "SOURCE_UNPINNED", saying: "pinned is 0.39.2" }, undefined],
    [
      "comfyui",
      { candidates: unpinned, refuses: "SOURCE_UNPINNED", saying: "nothing" },
      /^does not say "nothing"/,
    ],
  ])("of %s: %j", (engine, one, failure) => {
    if (failure === undefined) expect(run(engine, one)).toBeUndefined();
    else expect(run(engine, one)).toMatch(failure);
  });

  it.each([
    { gives: ["cpu"] },
    { candidates: cpu },
    { candidates: cpu, builds: cpu, gives: ["cpu"] },
    { builds: { ...cpu, driver: "580" }, gives: ["cpu"] },
    { candidates: cpu, gives: ["cpu"], saying: "x" },
    { candidates: cpu, refuses: "NO_BUILD", with: {} },
    { candidates: cpu, refuses: "NOT_A_CODE" },
    { candidates: { ...cpu, gpu: true }, gives: ["cpu"] },
  ])("is refused as %j", (one) => {
    expect(Schema.safeParse(one).success).toBe(false);
  });
});
