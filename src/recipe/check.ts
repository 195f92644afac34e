import { isDeepStrictEqual } from "node:util";
import { FerryError, isFerryError } from "../errors.ts";
import { readText } from "../lib/files.ts";
import { parseYamlAs } from "../lib/yaml-file.ts";
import type { BuildOffer } from "./build.ts";
import { candidates } from "./candidates.ts";
import { CaseFile, type RecipeCase } from "./cases.ts";
import { listRecipes } from "./load.ts";
import { offers } from "./query.ts";
import type { RecipeTable } from "./table.ts";

export interface CheckedEngine {
  engine: string;
  /** How many cases were asked; never 0. */
  cases: number;
  /** One line for each case that came out otherwise. */
  failures: string[];
}

/**
 * Asks the table every case that lies beside the recipes of a folder. `table` holds that folder (as built-in or overlay).
 * Throws RECIPE_INVALID for a recipe without cases, cases without a recipe, and a folder with neither: a check that
 * had nothing to check is no success.
 */
export async function checkFolder(table: RecipeTable, folder: string): Promise<CheckedEngine[]> {
  const { recipes, cases } = await listRecipes(folder);
  if (recipes.size === 0) {
    throw new FerryError("RECIPE_INVALID", `found no recipe to check in ${folder}`, {
      hint: "Recipes are named ENGINE.yaml.",
    });
  }
  for (const [engine, file] of cases) {
    if (!recipes.has(engine)) {
      throw new FerryError("RECIPE_INVALID", `${file}: there is no ${engine}.yaml beside it`);
    }
  }
  const checked: CheckedEngine[] = [];
  for (const [engine, file] of recipes) {
    const caseFile = cases.get(engine);
    if (caseFile === undefined) {
      throw new FerryError("RECIPE_INVALID", `${file}: has no cases`, {
        hint: `Write ${engine}.cases.yaml beside it: what machines get, and what they are refused. See docs/recipes.md.`,
      });
    }
    const asked = parseYamlAs(CaseFile, await readText(caseFile), caseFile, "RECIPE_INVALID").cases;
    const failures = asked.flatMap((one, index) => {
      const failure = runCase(table, engine, one);
      return failure === undefined
        ? []
        : [`${caseFile}: case ${index + 1}${one.name === undefined ? "" : ` (${one.name})`}: ${failure}`];
    });
    checked.push({ engine, cases: asked.length, failures });
  }
  return checked;
}

/** What is wrong with the table's answer to a case, or undefined. */
export function runCase(table: RecipeTable, engine: string, one: RecipeCase): string | undefined {
  let found: BuildOffer[];
  try {
    found = ask(table, engine, one);
  } catch (error) {
    if (!isFerryError(error)) throw error;
    return judgeRefusal(one, error);
  }
  if (one.refuses !== undefined) return `gives ${variantsOf(found)}, must refuse with ${one.refuses}`;
  return judgeOffers(one, found);
}

function ask(table: RecipeTable, engine: string, one: RecipeCase): BuildOffer[] {
  if (one.builds !== undefined) return offers(table, { engine, ...one.builds }, one.builds.assets);
  const { version = "", arch = "", driver = "", cc = 0, variant = "", assets } = one.candidates ?? {};
  return candidates(
    table,
    { engine, version, variant, host: { arch, nvidiaDriver: driver, minComputeCapability: cc } },
    assets,
  );
}

function judgeRefusal(one: RecipeCase, error: FerryError): string | undefined {
  if (one.refuses === undefined) return `is refused: ${error.message}`;
  if (one.refuses !== error.code) {
    return `is refused with ${error.code}, must be ${one.refuses}: ${error.message}`;
  }
  if ((error.details?.["notHere"] === true) !== (one.notHere === true)) {
    return one.notHere === true
      ? `is a fault, must be "not here": ${error.message}`
      : `is "not here", must be a fault`;
  }
  if (one.saying !== undefined && !`${error.message} ${error.hint ?? ""}`.includes(one.saying)) {
    return `does not say "${one.saying}": ${error.message}`;
  }
  return undefined;
}

function judgeOffers(one: RecipeCase, found: BuildOffer[]): string | undefined {
  const gives = (one.gives ?? []).join(", ");
  if (variantsOf(found) !== gives) return `gives ${variantsOf(found)}, must give ${gives}`;
  const named = [...Object.keys(one.with ?? {}), ...Object.keys(one.problems ?? {})];
  const absent = named.find((variant) => !found.some((offer) => offer.build.variant === variant));
  if (absent !== undefined) return `says something of ${absent}, which is not given`;
  return found.map((offer) => judgeOffer(one, offer)).find((failure) => failure !== undefined);
}

function judgeOffer(one: RecipeCase, { build, problem }: BuildOffer): string | undefined {
  const wanted = one.problems?.[build.variant];
  if (problem?.code !== wanted) {
    return `${build.variant} has ${problem?.message ?? "no problem"}, must have ${wanted ?? "none"}`;
  }
  const members = Object.entries(one.with?.[build.variant] ?? {});
  const differing = members.find(
    ([key, value]) => !isDeepStrictEqual((build as Record<string, unknown>)[key], value),
  );
  if (differing === undefined) return undefined;
  const [key, value] = differing;
  const actual = (build as Record<string, unknown>)[key];
  return `${build.variant}.${key} is ${actual === undefined ? "absent" : JSON.stringify(actual)}, must be ${JSON.stringify(value)}`;
}

function variantsOf(found: readonly BuildOffer[]): string {
  return found.map((offer) => offer.build.variant).join(", ");
}
