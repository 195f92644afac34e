import { FerryError } from "../errors.ts";
import type { Recipe } from "./schema.ts";

export interface TableEntry {
  engine: string;
  recipe: Recipe;
  /** The file it was read from, or the document that carried it. */
  origin: string;
  /** From the operator's overlay, in place of a built-in one where there is one. */
  overlay: boolean;
}

/** The recipe table: what builder, mirror and nodes all read. */
export interface RecipeTable {
  /** Sorted by engine. */
  readonly entries: readonly TableEntry[];
  /** Throws ENGINE_UNKNOWN, naming the engines there are. */
  recipe(engine: string): Recipe;
}

export function tableOf(entries: Iterable<TableEntry>): RecipeTable {
  const byEngine = new Map([...entries].map((entry) => [entry.engine, entry]));
  const sorted = [...byEngine.values()].sort((a, b) => (a.engine < b.engine ? -1 : 1));
  return {
    entries: sorted,
    recipe: (engine) => {
      const found = byEngine.get(engine);
      if (found !== undefined) return found.recipe;
      const known = sorted.map((entry) => entry.engine);
      throw new FerryError(
        "ENGINE_UNKNOWN",
        `no recipe for an engine named ${JSON.stringify(engine)}; there are ${known.join(", ")}`,
        {
          hint: "Correct the name, or add a recipe of your own to the overlay folder (FERRY_RECIPES); see docs/recipes.md.",
          details: { engine, known },
        },
      );
    },
  };
}
