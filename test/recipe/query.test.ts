import { describe, expect, it } from "vitest";
import { isFerryError } from "../../src/errors.ts";
import { candidates } from "../../src/recipe/candidates.ts";
import { builds, fallbackOffers, offers, selectVariants } from "../../src/recipe/query.ts";
import { builtinTable } from "../support/recipes.ts";
import { assetNamesOf } from "../support/releases.ts";

const table = await builtinTable();
const ASKED: [engine: string, version: string][] = [
  ["llamacpp", "b11347"],
  ["uv", "0.12.23"],
  ["vllm", "0.30.0"],
  ["vllm", "0.19.1"],
  ["sglang", "0.5.23"],
  ["sglang", "0.4.10"],
  ["comfyui", "0.39.2"],
];

describe("what a bundle carries", () => {
  it("holds every build that any machine may be given, fallbacks apart", () => {
    for (const [engine, version] of ASKED) {
      for (const arch of ["amd64", "arm64"]) {
        const query = { engine, version, arch };
        const carried = [
          ...builds(table, query),
          ...fallbackOffers(table, query).map((offer) => offer.build),
        ];
        const names = new Set(carried.map((build) => `${build.variant} ${build.version ?? version}`));
        for (const nvidiaDriver of ["", "470.82", "525.60.13", "569.9", "575.51", "580.65.06", "9999"]) {
          for (const minComputeCapability of [
            0, 3.5, 5, 6.1, 7, 7.2, 7.5, 8, 8.6, 8.7, 8.9, 9, 10, 12, 12.1,
          ]) {
            const given = tolerant(() =>
              candidates(table, {
                engine,
                version,
                variant: "",
                host: { arch, nvidiaDriver, minComputeCapability },
              }),
            );
            for (const { build } of given) {
              expect(names).toContain(`${build.variant} ${build.version ?? version}`);
            }
          }
        }
      }
    }
  });

  it("says what a machine must have, with an unknown card the driver that is enough for all", () => {
    const needs = Object.fromEntries(
      offers(table, { engine: "llamacpp", version: "b11347", arch: "amd64" }).map((offer) => [
        offer.build.variant,
        offer.needs,
      ]),
    );
    expect(needs).toEqual({
      cpu: { nvidia: false },
      "cuda-13.3": { nvidia: true, driver: "580", cc: { min: 7.5 } },
      "cuda-12.8": { nvidia: true, driver: "570", cc: { min: 5 } },
      vulkan: { nvidia: true },
    });
  });

  it("names the release of assets, and none for what is not of one", () => {
    expect(offers(table, { engine: "uv", version: "0.12.23", arch: "arm64" })[0]?.release).toEqual({
      repo: "astral-sh/uv",
      tag: "0.12.23",
    });
    expect(
      offers(table, { engine: "vllm", version: "0.30.0", arch: "arm64" }).map((offer) => offer.release),
    ).toEqual([undefined, undefined]);
  });

  it("keeps an older version for older cards apart from the version's own builds", () => {
    const [older, ...rest] = fallbackOffers(table, { engine: "vllm", version: "0.30.0", arch: "amd64" });
    expect(rest).toEqual([]);
    expect(older?.build).toMatchObject({
      variant: "cu12",
      version: "0.19.1",
      requirements: ["vllm==0.19.1"],
    });
    expect(older?.build.note).toContain("compute capability 7.0, instead of 0.30.0");
    expect(fallbackOffers(table, { engine: "vllm", version: "0.30.0", arch: "arm64" })).toEqual([]);
    expect(fallbackOffers(table, { engine: "vllm", version: "0.19.1", arch: "amd64" })).toEqual([]);
    expect(fallbackOffers(table, { engine: "vllm", version: "0.10.2", arch: "amd64" })).toEqual([]);
    expect(fallbackOffers(table, { engine: "llamacpp", version: "b11347", arch: "amd64" })).toEqual([]);
  });

  it("names the engines there are where one is unknown", () => {
    expect(() => builds(table, { engine: "nope", version: "1", arch: "amd64" })).toThrow(
      /no recipe for an engine named "nope"; there are comfyui, llamacpp, sglang, strata, uv, vllm/,
    );
    expect(() => table.recipe("__proto__")).toThrow(/no recipe/);
  });
});

describe("the words of a spec", () => {
  const all = offers(
    table,
    { engine: "llamacpp", version: "b11347", arch: "amd64" },
    assetNamesOf("ggml-org/llama.cpp", "b11347"),
  );
  const chosen = (words: string[] | undefined): string[] =>
    selectVariants(all, words).map((offer) => offer.build.variant);

  it.each<[string[] | undefined, string[]]>([
    [undefined, ["cpu", "cuda-13.4", "cuda-12.8", "vulkan"]],
    [
      ["cpu", "cuda"],
      ["cpu", "cuda-13.4", "cuda-12.8"],
    ],
    [["cuda-13"], ["cuda-13.4"]],
    [["cuda-12"], ["cuda-12.8"]],
    [
      ["cuda-13.4", "cuda"],
      ["cuda-13.4", "cuda-12.8"],
    ],
    [
      ["vulkan", "cpu"],
      ["cpu", "vulkan"],
    ],
  ])("%j chooses %j", (words, variants) => {
    expect(chosen(words)).toEqual(variants);
  });

  it.each([["cud"], ["cuda-1"], ["cuda-13.3"], ["CPU"], [""], ["rocm"]])(
    "%j chooses nothing and is refused",
    (word) => {
      expect(() => chosen(["cpu", word])).toThrow(
        `there is no variant ${word}; there are cpu, cuda-13.4, cuda-12.8, vulkan`,
      );
    },
  );

  it("knows a family by its name where the release lacks it", () => {
    const lacking = offers(table, { engine: "llamacpp", version: "b11027", arch: "amd64" }, []);
    expect(selectVariants(lacking, ["cuda-13"]).map((offer) => offer.problem?.code)).toEqual([
      "UPSTREAM_MISSING_ASSETS",
    ]);
  });
});

function tolerant<T>(work: () => T[]): T[] {
  try {
    return work();
  } catch (error) {
    if (isFerryError(error, "NO_BUILD")) return [];
    throw error;
  }
}
