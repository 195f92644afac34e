import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { isFerryError } from "../../src/errors.ts";
import { checkFolder } from "../../src/recipe/check.ts";
import { listRecipes, loadTable } from "../../src/recipe/load.ts";
import { addPin, parsePins } from "../../src/recipe/pins.ts";
import { builds } from "../../src/recipe/query.ts";
import { builtinRecipes, plainRecipe } from "../support/recipes.ts";
import { tmpDir } from "../support/tmp.ts";

const PIN = { sha256: "a".repeat(64), published: "2026-11-01T00:00:00Z" };
const OTHER = { ...PIN, sha256: "b".repeat(64) };
const plain = (label = "Plain"): string => stringify({ ...plainRecipe(), label });

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await tmpDir();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

describe("the table's folders", () => {
  it("holds the six built-in engines", async () => {
    const table = await loadTable({ builtin: builtinRecipes });
    expect(table.entries.map(({ engine, overlay }) => [engine, overlay])).toEqual(
      ["comfyui", "llamacpp", "sglang", "strata", "uv", "vllm"].map((engine) => [engine, false]),
    );
  });

  it("an overlay adds engines and replaces them by name", async () => {
    const overlay = await folderWith({
      "plain.yaml": plain(),
      "uv.yaml": plain("My uv"),
      "README.md": "not mine to read",
    });
    const table = await loadTable({ builtin: builtinRecipes, overlay });
    expect(table.recipe("plain").label).toBe("Plain");
    expect(table.recipe("uv").label).toBe("My uv");
    expect(table.recipe("vllm").label).toBe("vLLM");
    expect(table.entries.filter((entry) => entry.overlay).map((entry) => entry.origin)).toEqual([
      join(overlay, "plain.yaml"),
      join(overlay, "uv.yaml"),
    ]);
  });

  it("an overlay's pins add digests to the recipe in force", async () => {
    const overlay = await folderWith({
      "strata.pins.yaml": addPin(undefined, "0.1.41", PIN, "strata.pins.yaml"),
    });
    const table = await loadTable({ builtin: builtinRecipes, overlay });
    const found = builds(table, { engine: "strata", version: "0.1.41", arch: "amd64" });
    expect(found.map((build) => build.source?.sha256)).toEqual([PIN.sha256, PIN.sha256]);
    expect(found.map((build) => build.asOf)).toEqual([PIN.published, PIN.published]);
    expect(table.entries.find((entry) => entry.engine === "strata")?.overlay).toBe(false);
  });

  it.each([
    [
      "pins of an unknown engine",
      { "nope.pins.yaml": addPin(undefined, "1.0", PIN, "") },
      /nope.pins.yaml: pins digests for nope, but there is no recipe/,
    ],
    [
      "a pin of no version",
      { "strata.pins.yaml": addPin(undefined, "main", PIN, "") },
      /strata.pins.yaml: releases.main: is no version of Strata/,
    ],
    [
      "pins of an engine without a source",
      { "uv.pins.yaml": addPin(undefined, "0.12.23", PIN, "") },
      /uv has no source archive/,
    ],
    [
      "a pin file with other keys",
      { "strata.pins.yaml": "builds: []\nreleases: {}\n" },
      /strata.pins.yaml:1:1: builds: unknown key/,
    ],
    ["a recipe with a capital letter", { "Plain.yaml": plain() }, /Plain.yaml: no name of a recipe/],
    ["another ending of YAML", { "plain.yml": plain() }, /plain.yml: no name of a recipe/],
    ["an empty recipe", { "plain.yaml": "" }, /plain.yaml:1:1: \(document\): /],
    ["two documents", { "plain.yaml": `${plain()}---\n${plain()}` }, /plain.yaml:/],
  ])("refuses %s", async (_, files, message) => {
    const overlay = await folderWith(files);
    await expect(loadTable({ builtin: builtinRecipes, overlay })).rejects.toThrow(message);
    await expect(loadTable({ builtin: builtinRecipes, overlay })).rejects.toMatchObject({
      code: "RECIPE_INVALID",
    });
  });

  it("refuses a pin that contradicts the recipe", async () => {
    const overlay = await folderWith({ "comfyui.pins.yaml": addPin(undefined, "0.39.2", PIN, "") });
    await expect(loadTable({ builtin: builtinRecipes, overlay })).rejects.toMatchObject({
      code: "DIGEST_MISMATCH",
    });
  });

  it("is no success where nothing was read", async () => {
    const empty = await tmpDir();
    await expect(loadTable({ builtin: empty })).rejects.toThrow(/read no recipe from/);
    await expect(loadTable({ builtin: join(empty, "absent") })).rejects.toMatchObject({
      code: "FILE_UNREADABLE",
    });
    await expect(
      loadTable({ builtin: builtinRecipes, overlay: join(empty, "absent") }),
    ).rejects.toMatchObject({ code: "FILE_UNREADABLE" });
    expect((await loadTable({ builtin: builtinRecipes, overlay: empty })).entries).toHaveLength(6);
  });
});

describe("a pin file", () => {
  it("grows by one pin and reads back what was written", () => {
    const one = addPin(undefined, "0.1.41", PIN, "x");
    const two = addPin(one, "0.1.40.2", OTHER, "x");
    expect(parsePins(two, "x")).toEqual({ "0.1.40.2": OTHER, "0.1.41": PIN });
    expect(two).toMatch(/^# /);
    expect(addPin(two, "0.1.41", PIN, "x")).toBe(two);
  });

  it("keeps a version that looks like a number", () => {
    expect(parsePins(addPin(undefined, "1.10", PIN, "x"), "x")).toEqual({ "1.10": PIN });
  });

  it("refuses another digest for a pinned version, with both", () => {
    const one = addPin(undefined, "0.1.41", PIN, "strata.pins.yaml");
    try {
      addPin(one, "0.1.41", OTHER, "strata.pins.yaml");
      expect.unreachable();
    } catch (error) {
      if (!isFerryError(error, "DIGEST_MISMATCH")) throw error;
      expect(error.details).toMatchObject({ version: "0.1.41", pinned: PIN.sha256, found: OTHER.sha256 });
    }
  });

  it("refuses a digest that is none", () => {
    expect(() => addPin(undefined, "1.0", { ...PIN, sha256: "sha256:x" }, "x")).toThrow();
  });
});

describe("a folder's cases", () => {
  it("are asked of every built-in recipe, and all come out", async () => {
    const table = await loadTable({ builtin: builtinRecipes });
    const checked = await checkFolder(table, builtinRecipes);
    expect(checked.map(({ engine }) => engine)).toEqual(table.entries.map(({ engine }) => engine));
    expect(checked.flatMap(({ failures }) => failures)).toEqual([]);
    expect(checked.every(({ cases }) => cases > 0)).toBe(true);
  });

  it("fail with the case's number and what came instead", async () => {
    const cases =
      "cases:\n  - { name: wrong, builds: { version: '1.0', arch: amd64 }, gives: [gpu-2.1, cpu] }\n  - { builds: { version: '1.0', arch: arm64 }, gives: [cpu, gpu-2.1] }\n";
    const overlay = await folderWith({ "plain.yaml": plain(), "plain.cases.yaml": cases });
    const [checked] = await checkFolder(await loadTable({ builtin: builtinRecipes, overlay }), overlay);
    expect(checked).toEqual({
      engine: "plain",
      cases: 2,
      failures: [
        `${join(overlay, "plain.cases.yaml")}: case 1 (wrong): gives cpu, gpu-2.1, must give gpu-2.1, cpu`,
      ],
    });
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ["a recipe without cases", { "plain.yaml": plain() }, /plain.yaml: has no cases/],
    [
      "a file without any case",
      { "plain.yaml": plain(), "plain.cases.yaml": "cases: []\n" },
      /plain.cases.yaml:1:1: cases: must hold at least one case/,
    ],
    [
      "cases without a recipe",
      { "plain.yaml": plain(), "plain.cases.yaml": "cases: []\n", "uv.cases.yaml": "cases: []\n" },
      /uv.cases.yaml: there is no uv.yaml beside it/,
    ],
    ["a folder without recipes", { "notes.txt": "" }, /found no recipe to check/],
    [
      "a case of both kinds",
      {
        "plain.yaml": plain(),
        "plain.cases.yaml":
          "cases:\n  - { builds: { version: '1', arch: amd64 }, gives: [cpu], refuses: NO_BUILD }\n",
      },
      /plain.cases.yaml:2:5: cases\[0\]: expects gives or refuses, one of them/,
    ],
  ])("must be there: %s", async (_, files, message) => {
    const overlay = await folderWith(files);
    const table = await loadTable({
      builtin: builtinRecipes,
      overlay: await folderWith(pick(files, "plain.yaml")),
    });
    await expect(checkFolder(table, overlay)).rejects.toThrow(message);
  });

  it("hold for the example in docs/recipes.md", async () => {
    const docs = await readFile(join(builtinRecipes, "../../docs/recipes.md"), "utf8");
    const blocks = [...docs.matchAll(/```yaml\n# (tool-x\S*\.yaml)\n([^]*?)```/g)].map(
      ([, name = "", text = ""]) => [name, text] as const,
    );
    expect(blocks.map(([name]) => name)).toEqual(["tool-x.yaml", "tool-x.cases.yaml"]);
    const overlay = await folderWith(Object.fromEntries(blocks));
    const checked = await checkFolder(await loadTable({ builtin: builtinRecipes, overlay }), overlay);
    expect(checked).toEqual([{ engine: "tool-x", cases: 3, failures: [] }]);
  });

  it("lists files by kind", async () => {
    const folder = await tmpDir();
    await mkdir(join(folder, "sub"));
    await copyFile(join(builtinRecipes, "uv.yaml"), join(folder, "uv.yaml"));
    const { recipes, cases, pins } = await listRecipes(folder);
    expect([[...recipes.keys()], cases.size, pins.size]).toEqual([["uv"], 0, 0]);
  });
});

function pick(files: Record<string, string>, name: string): Record<string, string> {
  return files[name] === undefined ? {} : { [name]: files[name] };
}
