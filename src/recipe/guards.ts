import { FerryError } from "../errors.ts";
import type { BuildRule } from "./fields.ts";
import type { Recipe } from "./schema.ts";
import { type Facts, holds } from "./when.ts";

/** Refuses an architecture that the engine has no Linux build for. */
export function requireArch(recipe: Recipe, arch: string): void {
  if (Object.hasOwn(recipe.arch, arch)) return;
  const which = arch === "" ? "an unrecognised system" : arch;
  throw new FerryError("NO_BUILD", `${recipe.label} publishes no Linux build for ${which}`, {
    hint: `It has builds for ${Object.keys(recipe.arch).join(" and ")}.`,
    details: { arch, has: Object.keys(recipe.arch) },
  });
}

/** The builds that exist for these facts, best first; what a machine needs for them is another question. */
export function existingRules(recipe: Recipe, facts: Facts): BuildRule[] {
  return recipe.builds.filter((rule) => holds(rule.when, facts, recipe.versions.ordering, true));
}

/** Refuses a version whose source archive nobody has pinned, naming the command that pins it. */
export function requirePin(
  recipe: Recipe,
  engine: string,
  version: string,
  rules: readonly BuildRule[],
): void {
  const needsSource = rules.some((rule) => (rule.source ?? recipe.defaults?.source) !== undefined);
  const pinned = Object.keys(recipe.releases ?? {});
  if (!needsSource || pinned.includes(version)) return;
  const known =
    pinned.length === 0 ? "none is" : `pinned ${pinned.length === 1 ? "is" : "are"} ${pinned.join(", ")}`;
  throw new FerryError(
    "SOURCE_UNPINNED",
    `the source archive of ${recipe.label} ${version} has no pinned digest; ${known}`,
    {
      hint: `GitHub publishes none for source archives. On a connected machine, look at the archive and pin it: ferry recipe pin ${engine} ${version}`,
      details: { engine, version, pinned },
    },
  );
}
