import { describe, expect, it } from "vitest";
import type { Build } from "../../src/recipe/build.ts";
import { candidates } from "../../src/recipe/candidates.ts";
import { offers } from "../../src/recipe/query.ts";
import { sourceOf } from "../../src/recipe/source.ts";
import { tableOf } from "../../src/recipe/table.ts";
import { builtinTable } from "../support/recipes.ts";

const SHA256 = "c".repeat(64);
const builtin = await builtinTable();
const table = tableOf([
  {
    engine: "strata",
    origin: "test",
    overlay: true,
    recipe: {
      ...builtin.recipe("strata"),
      releases: { "0.1.41": { sha256: SHA256, published: "2026-10-08T00:00:00Z" } },
    },
  },
]);

function given(driver: string, cc: number): Build[] {
  const host = { arch: "amd64", nvidiaDriver: driver, minComputeCapability: cc };
  return candidates(table, { engine: "strata", version: "0.1.41", variant: "", host }).map(
    (offer) => offer.build,
  );
}

describe("Strata with a pinned source", () => {
  it("is the source in a Python environment, with the release's engine beside it", () => {
    expect(given("580.65.06", 8.6)[0]).toMatchObject({
      variant: "cu13",
      python: "3.12",
      source: {
        url: "/Niko1221/Strata/archive/refs/tags/v0.1.41.tar.gz",
        sha256: SHA256,
        top: "Strata-0.1.41",
        dir: "strata",
        requirements: "requirements.txt",
      },
      asOf: "2026-10-08T00:00:00Z",
      assets: ["strata-linux-x64.zip"],
      assetTag: "v0.1.41",
      assetDir: "strata/engine",
    });
  });

  it.each<[string, number, string[]]>([
    ["580.65.06", 7.5, ["cu13", "cu129"]],
    ["580.65.06", 8.9, ["cu13", "cu129"]],
    ["580.65.06", 9.0, ["cu13"]],
    ["580.65.06", 12.1, ["cu13"]],
    ["580.65.06", 7.0, ["cu129"]],
    ["575.51.03", 6.0, ["cu129"]],
    ["579.99", 8.9, ["cu129"]],
  ])("driver %s and compute capability %s give %j", (driver, cc, variants) => {
    expect(given(driver, cc).map((build) => build.variant)).toEqual(variants);
  });

  it.each<[string, number, RegExp]>([
    [
      "574.99",
      8.6,
      /CUDA 13 \(cu13\) needs NVIDIA driver 580 or newer; this machine has 574.99; .*CUDA 12.9 \(cu129\) needs NVIDIA driver 575/,
    ],
    ["579.99", 9.0, /\(cu129\) has code for compute capability up to 8.9; this machine has 9.0/],
    ["580.65.06", 5.2, /\(cu129\) has code for compute capability 6.0 and newer; this machine has 5.2/],
  ])("driver %s and compute capability %s are refused in words", (driver, cc, words) => {
    expect(() => given(driver, cc)).toThrow(words);
  });

  it("takes its engine from the release of its own tag", () => {
    const [offer] = offers(table, { engine: "strata", version: "0.1.41", arch: "amd64" }, []);
    expect(offer).toMatchObject({
      release: { repo: "Niko1221/Strata", tag: "v0.1.41" },
      problem: { code: "UPSTREAM_MISSING_ASSETS" },
    });
  });

  it("says which archive is to be pinned, before any is", () => {
    expect(sourceOf(builtin.recipe("strata"), "0.1.40.2")).toEqual({
      url: "/Niko1221/Strata/archive/refs/tags/v0.1.40.2.tar.gz",
      top: "Strata-0.1.40.2",
      repo: "Niko1221/Strata",
      tag: "v0.1.40.2",
    });
    expect(() => sourceOf(builtin.recipe("llamacpp"), "b11347")).toThrow(
      /llama.cpp is not installed from a source/,
    );
    expect(() => sourceOf(builtin.recipe("strata"), "main")).toThrow(/is not a version of Strata/);
  });
});
