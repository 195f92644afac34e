import { join } from "node:path";
import { loadTable, type RecipeTable } from "../../src/recipe/load.ts";
import { Recipe } from "../../src/recipe/schema.ts";
import { tableOf } from "../../src/recipe/table.ts";

export const builtinRecipes = join(import.meta.dirname, "../../bundles/engines");

/** The recipes that the package ships. */
export function builtinTable(): Promise<RecipeTable> {
  return loadTable({ builtin: builtinRecipes });
}

/** A table of one made-up engine, from what its YAML would hold. */
export function tableWith(engine: string, recipe: object): RecipeTable {
  return tableOf([{ engine, recipe: Recipe.parse(recipe), origin: "test", overlay: false }]);
}

/** A sound recipe of two builds, to be changed by tests. */
export function plainRecipe(): Record<string, unknown> {
  return {
    label: "Plain",
    github: "owner/plain",
    versions: { pattern: "^[0-9]+\\.[0-9]+$", ordering: "pep440", example: "1.0" },
    arch: { amd64: "x64", arm64: "arm64" },
    builds: [
      { variant: "cpu", when: { gpu: "none" }, binary: "plain", assets: ["plain-{version}-{arch}.tar.gz"] },
      {
        variant: "gpu-2.*",
        assume: "gpu-2.1",
        when: { gpu: "nvidia" },
        needs: { driver: 500 },
        binary: "plain",
        assets: ["plain-{version}-{variant}-{arch}.tar.gz", "rt-plain-{version}-{variant}-{arch}.tar.gz"],
      },
    ],
  };
}
