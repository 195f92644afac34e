import { describe, expect, it } from "vitest";
import {
  describeNonBuild,
  latestVersions,
  requireVersion,
  tagOf,
  versionOfTag,
} from "../../src/recipe/versions-of.ts";
import { builtinTable } from "../support/recipes.ts";

const table = await builtinTable();
const release = (tag: string, prerelease = false): { tag: string; prerelease: boolean } => ({
  tag,
  prerelease,
});

describe("versions and tags", () => {
  it("B14: llama.cpp's latest are its bNNNN, all prereleases, newest number first; v0.5.0 is none of them", () => {
    const all = [
      release("v0.5.0"),
      release("b9999", true),
      release("b20000", true),
      release("b11347", true),
      release("gguf-v0.19.0"),
      release("b11347-fix", true),
    ];
    expect(latestVersions(table.recipe("llamacpp"), all).map(({ version }) => version)).toEqual([
      "b20000",
      "b11347",
      "b9999",
    ]);
  });

  it("B14: asked for v0.5.0, it says what that is", () => {
    const recipe = table.recipe("llamacpp");
    expect(describeNonBuild(recipe, "v0.5.0")).toContain("nightly-tag.txt");
    expect(() => {
      requireVersion(recipe, "v0.5.0");
    }).toThrow(/v0\.5\.0 is no build: a pointer release whose one file, nightly-tag.txt/);
    expect(describeNonBuild(recipe, "b11347")).toBeUndefined();
    expect(versionOfTag(recipe, "v0.5.0")).toBeUndefined();
  });

  it("other engines' latest are final releases, by part", () => {
    expect(
      latestVersions(table.recipe("uv"), [
        release("0.9.30"),
        release("0.12.23"),
        release("0.13.0", true),
        release("0.13.0rc1"),
      ]),
    ).toEqual([
      { tag: "0.12.23", version: "0.12.23" },
      { tag: "0.9.30", version: "0.9.30" },
    ]);
    expect(
      latestVersions(table.recipe("vllm"), [release("v0.9.2"), release("v0.30.0"), release("v0.31.0rc1")]),
    ).toEqual([
      { tag: "v0.30.0", version: "0.30.0" },
      { tag: "v0.9.2", version: "0.9.2" },
    ]);
    expect(latestVersions(table.recipe("sglang"), [release("v0.5.0")])).toEqual([]);
  });

  it("makes tags of versions and versions of tags", () => {
    expect(tagOf(table.recipe("vllm"), "0.30.0")).toBe("v0.30.0");
    expect(tagOf(table.recipe("vllm"), "v0.30.0")).toBe("v0.30.0");
    expect(tagOf(table.recipe("strata"), "0.1.40.2")).toBe("v0.1.40.2");
    expect(versionOfTag(table.recipe("strata"), "v0.1.40.2")).toBe("0.1.40.2");
    expect(versionOfTag(table.recipe("uv"), "v0.12.23")).toBeUndefined();
  });

  it.each([
    "",
    "../x",
    "a b",
    "b11056\n",
    "b11056/../../x",
    "b1%2F",
    "b",
    "B1",
    "b1 ",
    "b\u0661",
    "latest",
    "__proto__",
  ])("refuses %j of every engine", (version) => {
    for (const { recipe } of table.entries) {
      expect(() => {
        requireVersion(recipe, version);
      }).toThrow(/is not a version of/);
    }
  });
});
