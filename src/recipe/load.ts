import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { FerryError, fromFileError } from "../errors.ts";
import { readText } from "../lib/files.ts";
import { parseYamlAs } from "../lib/yaml-file.ts";
import { parsePins, withPins } from "./pins.ts";
import { Recipe } from "./schema.ts";
import { type RecipeTable, type TableEntry, tableOf } from "./table.ts";

export type { RecipeTable } from "./table.ts";

/** The YAML files of a recipe folder by engine. */
export interface RecipeFiles {
  recipes: Map<string, string>;
  cases: Map<string, string>;
  pins: Map<string, string>;
}

/**
 * Reads the built-in recipes and the operator's overlay: a recipe there adds an engine or replaces the one of that name
 * whole, a `<engine>.pins.yaml` adds pinned digests to whichever recipe is in force.
 * Throws FILE_UNREADABLE, RECIPE_INVALID with file, line, column and key path, or RECIPE_INVALID where nothing was read.
 */
export async function loadTable(folders: {
  builtin: string;
  overlay?: string | undefined;
}): Promise<RecipeTable> {
  const entries = new Map<string, TableEntry>();
  const builtin = await listRecipes(folders.builtin);
  if (builtin.recipes.size === 0) {
    throw new FerryError("RECIPE_INVALID", `read no recipe from ${folders.builtin}`, {
      hint: "The built-in recipes are missing from this installation; install engine-ferry anew.",
    });
  }
  await readInto(entries, builtin, false);
  if (folders.overlay !== undefined) await readInto(entries, await listRecipes(folders.overlay), true);
  return tableOf(entries.values());
}

export async function readRecipe(file: string): Promise<Recipe> {
  return parseYamlAs(Recipe, await readText(file), file, "RECIPE_INVALID");
}

/** What a folder of recipes holds. Files that are no YAML are passed over; YAML under a name of no kind is an error. */
export async function listRecipes(folder: string): Promise<RecipeFiles> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    throw fromFileError(error, "read the recipe folder", folder, "FILE_UNREADABLE");
  }
  const files: RecipeFiles = { recipes: new Map(), cases: new Map(), pins: new Map() };
  for (const name of names.filter((found) => /\.ya?ml$/i.test(found)).sort()) {
    const match = /^([a-z0-9][a-z0-9-]{0,31})(\.cases|\.pins)?\.yaml$/.exec(name);
    if (match?.[1] === undefined) {
      throw new FerryError("RECIPE_INVALID", `${join(folder, name)}: no name of a recipe`, {
        hint: "Recipes are named ENGINE.yaml, their cases ENGINE.cases.yaml, pinned digests ENGINE.pins.yaml; ENGINE is lower-case letters, digits and dashes.",
      });
    }
    const kind = match[2] === ".cases" ? files.cases : match[2] === ".pins" ? files.pins : files.recipes;
    kind.set(match[1], join(folder, name));
  }
  return files;
}

async function readInto(
  entries: Map<string, TableEntry>,
  files: RecipeFiles,
  overlay: boolean,
): Promise<void> {
  for (const [engine, file] of files.recipes) {
    entries.set(engine, { engine, recipe: await readRecipe(file), origin: file, overlay });
  }
  for (const [engine, file] of files.pins) {
    const entry = entries.get(engine);
    if (entry === undefined) {
      throw new FerryError(
        "RECIPE_INVALID",
        `${file}: pins digests for ${engine}, but there is no recipe of that name`,
      );
    }
    entries.set(engine, {
      ...entry,
      recipe: withPins(entry.recipe, parsePins(await readText(file), file), file),
    });
  }
}
