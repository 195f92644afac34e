import { join, resolve } from "node:path";
import { loadConfig } from "../../config/load.ts";
import { FerryError } from "../../errors.ts";
import type { BuildOffer } from "../../recipe/build.ts";
import { candidates } from "../../recipe/candidates.ts";
import { type CheckedEngine, checkFolder } from "../../recipe/check.ts";
import { listRecipes, loadTable } from "../../recipe/load.ts";
import { fallbackOffers, offers } from "../../recipe/query.ts";
import type { Context } from "../context.ts";
import type { BuildsFlags, CandidatesFlags, RecipeFlags } from "../flags.ts";
import type { RecipeBuildsReport, RecipeListReport } from "../recipe-reports.ts";
import {
  renderRecipeBuilds,
  renderRecipeCheck,
  renderRecipeList,
  renderRecipeShow,
} from "../render/recipe.ts";
import { openTable } from "../workbench.ts";

export async function recipeListCommand(context: Context, flags: RecipeFlags): Promise<void> {
  const table = await openTable(context, loadConfig(context.env, flags));
  const engines = table.entries.map(
    ({ engine, origin, overlay, recipe }): RecipeListReport["engines"][number] => ({
      engine,
      origin,
      overlay,
      label: recipe.label,
      tool: recipe.tool === true,
      github: recipe.github ?? null,
      pypi: recipe.pypi ?? null,
      arch: Object.keys(recipe.arch),
      variants: [...new Set(recipe.builds.map((rule) => rule.variant))],
    }),
  );
  await answer(context, flags, { engines }, renderRecipeList);
}

export async function recipeShowCommand(context: Context, engine: string, flags: RecipeFlags): Promise<void> {
  const table = await openTable(context, loadConfig(context.env, flags));
  const recipe = table.recipe(engine);
  const { origin = "", overlay = false } = table.entries.find((entry) => entry.engine === engine) ?? {};
  await answer(context, flags, { engine, origin, overlay, recipe }, renderRecipeShow);
}

export async function recipeCandidatesCommand(
  context: Context,
  engine: string,
  version: string,
  flags: CandidatesFlags,
): Promise<void> {
  const { arch, driver, cc, variant } = flags;
  if (!/^(\d{1,4}(\.\d{1,4}){0,3})?$/.test(driver)) {
    throw new FerryError(
      "USAGE",
      `--driver must be a version such as 580.65.06, not ${JSON.stringify(driver)}`,
    );
  }
  const table = await openTable(context, loadConfig(context.env, flags));
  const host = { arch, nvidiaDriver: driver, minComputeCapability: cc };
  const found = candidates(table, { engine, version, variant, host });
  await answer(
    context,
    flags,
    { engine, version, arch, builds: found.map(offerReport), fallbacks: [] },
    renderRecipeBuilds,
  );
}

export async function recipeBuildsCommand(
  context: Context,
  engine: string,
  version: string,
  flags: BuildsFlags,
): Promise<void> {
  const query = { engine, version, arch: flags.arch };
  const table = await openTable(context, loadConfig(context.env, flags));
  const report = {
    ...query,
    builds: offers(table, query).map(offerReport),
    fallbacks: fallbackOffers(table, query).map(offerReport),
  };
  await answer(context, flags, report, renderRecipeBuilds);
}

/** Checks a folder of recipes, or the built-in ones and those of the overlay. Throws RECIPE_INVALID where a case fails. */
export async function recipeCheckCommand(
  context: Context,
  folder: string | undefined,
  flags: RecipeFlags,
): Promise<void> {
  const builtin = join(context.packageRoot, "bundles", "engines");
  const given = folder ?? loadConfig(context.env, flags).recipeOverlay;
  const overlay = given === undefined ? undefined : resolve(context.cwd, given);
  const table = await loadTable({ builtin, overlay });
  const engines: CheckedEngine[] =
    folder === undefined ? await checkFolder(await loadTable({ builtin }), builtin) : [];
  // An overlay may hold pins alone; a folder that was named must hold recipes.
  if (overlay !== undefined && (folder !== undefined || (await listRecipes(overlay)).recipes.size > 0)) {
    engines.push(...(await checkFolder(table, overlay)));
  }
  const report = { cases: engines.reduce((sum, { cases }) => sum + cases, 0), engines };
  await answer(context, flags, report, renderRecipeCheck);
  const failures = engines.flatMap((engine) => engine.failures);
  if (failures.length === 0) return;
  throw new FerryError(
    "RECIPE_INVALID",
    `${failures.length} of ${report.cases} cases came out otherwise:\n  ${failures.join("\n  ")}`,
    {
      hint: "Correct the recipe, or the case if the recipe is right.",
      details: { failures },
    },
  );
}

function offerReport({ build, needs, family, release }: BuildOffer): RecipeBuildsReport["builds"][number] {
  return { build, needs, family, release: release ?? null };
}

async function answer<T>(
  context: Context,
  flags: RecipeFlags,
  report: T,
  render: (report: T) => string,
): Promise<void> {
  await context.write(flags.json === true ? `${JSON.stringify(report)}\n` : render(report));
}
