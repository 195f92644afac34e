import { describe, expect, it } from "vitest";
import type { BuildOffer } from "../../src/recipe/build.ts";
import { candidates } from "../../src/recipe/candidates.ts";
import { offers } from "../../src/recipe/query.ts";
import { builtinTable, plainRecipe, tableWith } from "../support/recipes.ts";
import { assetNamesOf } from "../support/releases.ts";

const table = await builtinTable();

function llamacpp(version: string, names: readonly string[], arch = "amd64"): BuildOffer[] {
  return offers(table, { engine: "llamacpp", version, arch }, names);
}

function named(all: readonly BuildOffer[], variant: string): BuildOffer {
  const found = all.find((offer) => offer.build.variant === variant);
  if (found === undefined) {
    throw new Error(`no ${variant} among ${all.map((offer) => offer.build.variant).join(", ")}`);
  }
  return found;
}

describe("builds against a release's own names", () => {
  it("B15: the family comes to 13.3 in b11056 and to 13.4 in b11347, for both architectures", () => {
    for (const [tag, member] of [
      ["b11056", "cuda-13.3"],
      ["b11347", "cuda-13.4"],
      ["b11459", "cuda-13.4"],
    ] as const) {
      for (const arch of ["amd64", "arm64"]) {
        const word = arch === "amd64" ? "x64" : "arm64";
        const offer = named(llamacpp(tag, assetNamesOf("ggml-org/llama.cpp", tag), arch), member);
        expect(offer).toMatchObject({ family: "cuda-13", release: { repo: "ggml-org/llama.cpp", tag } });
        expect(offer.problem).toBeUndefined();
        expect(offer.build.assets).toEqual([
          `llama-${tag}-bin-ubuntu-${member}-${word}.tar.gz`,
          `cudart-llama-${tag}-bin-ubuntu-${member}-${word}.tar.gz`,
        ]);
      }
    }
  });

  it("B15: with two members present it is ambiguous, naming both", () => {
    const names = assetNamesOf("ggml-org/llama.cpp", "b11347");
    const both = [...names, ...names.map((name) => name.replace("cuda-13.4-x64", "cuda-13.3-x64"))];
    const { problem, build } = named(llamacpp("b11347", [...new Set(both)]), "cuda-13.3");
    expect(problem?.code).toBe("UPSTREAM_AMBIGUOUS");
    expect(problem?.message).toContain("cuda-13.4, cuda-13.3");
    expect(problem?.candidates).toHaveLength(4);
    expect(build.assets?.[0]).toBe("llama-b11347-bin-ubuntu-cuda-13.3-x64.tar.gz");
  });

  it("B15: a second member of the runtime alone is ambiguous too", () => {
    const names = [
      ...assetNamesOf("ggml-org/llama.cpp", "b11347"),
      "cudart-llama-b11347-bin-ubuntu-cuda-13.3-x64.tar.gz",
    ];
    expect(named(llamacpp("b11347", names), "cuda-13.3").problem?.code).toBe("UPSTREAM_AMBIGUOUS");
  });

  it("B15: with no member present the family is missing, naming what comes near", () => {
    const all = llamacpp("b10883", assetNamesOf("ggml-org/llama.cpp", "b10883"));
    expect(named(all, "cpu").problem).toBeUndefined();
    const { problem } = named(all, "cuda-13.3");
    expect(problem?.code).toBe("UPSTREAM_MISSING_ASSETS");
    expect(problem?.assets).toEqual([
      "llama-b10883-bin-ubuntu-cuda-13.*-x64.tar.gz",
      "cudart-llama-b10883-bin-ubuntu-cuda-13.*-x64.tar.gz",
    ]);
    expect(problem?.candidates).toContain("llama-b10883-bin-ubuntu-x64.tar.gz");
  });

  it("B15: a build that another CUDA takes the place of is missing, with the other one named", () => {
    const names = assetNamesOf("ggml-org/llama.cpp", "b11347").map((name) =>
      name.replace("cuda-12.8", "cuda-12.9"),
    );
    const { problem } = named(llamacpp("b11347", names), "cuda-12.8");
    expect(problem?.code).toBe("UPSTREAM_MISSING_ASSETS");
    expect(problem?.candidates.slice(0, 2).join()).toContain("cuda-12.9");
  });

  it("B12: a release with no assets lacks every build", () => {
    const all = llamacpp("b11027", assetNamesOf("ggml-org/llama.cpp", "b11027"));
    expect(all.map((offer) => offer.problem?.code)).toEqual(Array(4).fill("UPSTREAM_MISSING_ASSETS"));
    expect(all[0]?.problem?.message).toContain("it has no assets at all");
  });

  it("B12: a release of runtimes without builds lacks every build", () => {
    const all = llamacpp("b11030", assetNamesOf("ggml-org/llama.cpp", "b11030"));
    expect(all.every((offer) => offer.problem?.code === "UPSTREAM_MISSING_ASSETS")).toBe(true);
    expect(all.every((offer) => offer.problem?.assets.length !== 0)).toBe(true);
  });

  it("B16: a runtime is never taken for the server, wherever it stands in the list", () => {
    const names = [...assetNamesOf("ggml-org/llama.cpp", "b11347")].sort();
    expect(names[0]).toMatch(/^cudart-/);
    for (const order of [names, [...names].reverse()]) {
      for (const { build, problem } of llamacpp("b11347", order)) {
        expect(problem).toBeUndefined();
        expect(build.assets?.filter((name) => name.startsWith("llama-"))).toHaveLength(1);
        expect(build.assets?.filter((name) => name.startsWith("cudart-"))).toHaveLength(
          build.variant.startsWith("cuda") ? 1 : 0,
        );
      }
    }
  });

  it("B16: a runtime without its server is a build that is missing", () => {
    const names = assetNamesOf("ggml-org/llama.cpp", "b11347").filter(
      (name) => !name.startsWith("llama-b11347-bin-ubuntu-cuda-13"),
    );
    const { problem } = named(llamacpp("b11347", names), "cuda-13.3");
    expect(problem).toMatchObject({
      code: "UPSTREAM_MISSING_ASSETS",
      assets: ["llama-b11347-bin-ubuntu-cuda-13.4-x64.tar.gz"],
    });
  });

  it("takes whole names alone: neither longer nor for other systems", () => {
    const custom = tableWith("plain", plainRecipe());
    const names = [
      "plain-1.0-gpu-2.7-x64.tar.gz",
      "rt-plain-1.0-gpu-2.7-x64.tar.gz",
      "plain-1.0-gpu-2.8-x64.tar.gz.sha256",
      "win-plain-1.0-gpu-2.9-x64.tar.gz",
      "plain-1.0-gpu-2.9-arm64.tar.gz",
      "plain-1.0-gpu-2.-x64.tar.gz",
      "plain-1.0-x64.tar.gz",
    ];
    expect(
      offers(custom, { engine: "plain", version: "1.0", arch: "amd64" }, names).map((offer) => [
        offer.build.variant,
        offer.problem,
      ]),
    ).toEqual([
      ["cpu", undefined],
      ["gpu-2.7", undefined],
    ]);
  });

  it("a machine may ask for the family or for the member that is there", () => {
    const host = { arch: "amd64", nvidiaDriver: "580.65.06", minComputeCapability: 8.6 };
    const names = assetNamesOf("ggml-org/llama.cpp", "b11347");
    const ask = (variant: string, list?: string[]): string[] =>
      candidates(table, { engine: "llamacpp", version: "b11347", variant, host }, list).map(
        (offer) => offer.build.variant,
      );
    expect(ask("cuda-13", names)).toEqual(["cuda-13.4"]);
    expect(ask("cuda-13.4", names)).toEqual(["cuda-13.4"]);
    expect(() => ask("cuda-13.3", names)).toThrow(
      /has no build "cuda-13.3" for this machine; it has cuda-13.4, cuda-12.8, vulkan/,
    );
    expect(() => ask("cuda-13")).toThrow(/has no build "cuda-13"/);
  });
});
