import { describe, expect, it } from "vitest";
import { isFerryError } from "../../src/errors.ts";
import { offers } from "../../src/recipe/query.ts";
import { resolveWheel } from "../../src/recipe/wheel.ts";
import { builtinTable } from "../support/recipes.ts";
import { assetNamesOf } from "../support/releases.ts";

const table = await builtinTable();

function wheelOf(version: string, arch: string): Parameters<typeof resolveWheel>[0] {
  const wheel = offers(table, { engine: "vllm", version, arch }).find(
    (offer) => offer.build.variant === "cu129",
  )?.build.wheel;
  if (wheel === undefined) throw new Error(`vllm ${version} has no wheel`);
  return wheel;
}

function faultOf(
  names: readonly string[],
): { code: string; details: Readonly<Record<string, unknown>> | undefined } | undefined {
  try {
    resolveWheel(wheelOf("0.30.0", "amd64"), names);
  } catch (error) {
    if (!isFerryError(error)) throw error;
    return { code: error.code, details: error.details };
  }
  return undefined;
}

describe("a wheel found by the ends of its name", () => {
  it.each(["0.20.0", "0.21.0", "0.29.0", "0.30.0"])(
    "B19: exactly one in the real release of %s, whatever its manylinux tag",
    (version) => {
      for (const [arch, word] of [
        ["amd64", "x86_64"],
        ["arm64", "aarch64"],
      ] as const) {
        const name = resolveWheel(wheelOf(version, arch), assetNamesOf("vllm-project/vllm", `v${version}`));
        expect(name).toMatch(
          new RegExp(
            `^vllm-${version.replaceAll(".", "\\.")}\\+cu129-cp38-abi3-manylinux_2_\\d+_${word}\\.whl$`,
          ),
        );
      }
    },
  );

  it("B19: none is an error that names the wheels there are", () => {
    const names = assetNamesOf("vllm-project/vllm", "v0.30.0").filter((name) => !name.includes("+cu129"));
    const fault = faultOf(names);
    expect(fault?.code).toBe("UPSTREAM_MISSING_ASSETS");
    expect(fault?.details).toMatchObject({ assets: ["vllm-0.30.0+cu129-*_x86_64.whl"] });
    expect(fault?.details?.["candidates"]).not.toEqual([]);
    expect(faultOf([])?.code).toBe("UPSTREAM_MISSING_ASSETS");
  });

  it("B19: two are an error that names both", () => {
    const two = ["2_28", "2_31"].map((tag) => `vllm-0.30.0+cu129-cp38-abi3-manylinux_${tag}_x86_64.whl`);
    expect(faultOf(two)).toMatchObject({ code: "UPSTREAM_AMBIGUOUS", details: { candidates: two } });
  });

  it("B19: beginning and end may not overlap", () => {
    const wheel = { project: "x", repo: "o/x", tag: "v1", prefix: "x-1_", suffix: "_any.whl" };
    expect(() => resolveWheel(wheel, ["x-1_any.whl"])).toThrow(/has no x-1_\*_any.whl/);
    expect(resolveWheel(wheel, ["x-1__any.whl"])).toBe("x-1__any.whl");
  });

  it("B19: against a release that lacks it, the offer carries the problem", () => {
    const all = offers(table, { engine: "vllm", version: "0.30.0", arch: "amd64" }, ["vllm-0.30.0.tar.gz"]);
    expect(all.map((offer) => [offer.build.variant, offer.problem?.code])).toEqual([
      ["cu13", undefined],
      ["cu129", "UPSTREAM_MISSING_ASSETS"],
    ]);
  });

  it("B24: a plus in a name stays a plus", () => {
    expect(resolveWheel(wheelOf("0.30.0", "amd64"), assetNamesOf("vllm-project/vllm", "v0.30.0"))).toContain(
      "+cu129-",
    );
  });
});
