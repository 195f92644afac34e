import { FerryError } from "../errors.ts";
import type { Build, BuildOffer } from "./build.ts";
import { minimum } from "./candidates.ts";
import { resolveOffer } from "./family.ts";
import type { BuildRule } from "./fields.ts";
import { existingRules, requireArch, requirePin } from "./guards.ts";
import { formatCc } from "./needs.ts";
import { offerOf } from "./render-build.ts";
import type { Recipe } from "./schema.ts";
import type { RecipeTable } from "./table.ts";
import { render } from "./template.ts";
import { requireVersion } from "./versions-of.ts";
import type { Facts } from "./when.ts";

export interface OffersQuery {
  engine: string;
  version: string;
  arch: string;
}

/**
 * Everything that a bundle must carry for machines it has not seen: the builds for a machine without a GPU and for one
 * with any NVIDIA card and the newest driver, best first within each. Python engines included.
 * Throws as `candidates` does. `assetNames` as there: what the release lacks is in `problem`, not thrown.
 */
export function offers(table: RecipeTable, query: OffersQuery, assetNames?: readonly string[]): BuildOffer[] {
  const recipe = table.recipe(query.engine);
  requireVersion(recipe, query.version);
  requireArch(recipe, query.arch);
  const rules = unseenRules(recipe, query);
  requirePin(recipe, query.engine, query.version, [...rules.keys()]);
  return [...rules].map(([rule, facts]) =>
    assetNames === undefined ? offerOf(recipe, rule, facts) : resolveOffer(recipe, rule, facts, assetNames),
  );
}

/** The builds of `offers` alone, as `ferry recipe builds` prints them. */
export function builds(table: RecipeTable, query: OffersQuery, assetNames?: readonly string[]): Build[] {
  return offers(table, query, assetNames).map((offer) => offer.build);
}

/**
 * What older cards get instead of this version: builds of the recipe's fallback, which is another version and so is
 * carried only where a spec lists it. Empty where every card that the fallback knows is served by the version itself.
 */
export function fallbackOffers(table: RecipeTable, query: OffersQuery): BuildOffer[] {
  const recipe = table.recipe(query.engine);
  requireVersion(recipe, query.version);
  requireArch(recipe, query.arch);
  const older = recipe.fallback;
  if (older === undefined || older.version === query.version) return [];
  const cc = minimum(recipe, older.version, query.arch);
  if (cc >= minimum(recipe, query.version, query.arch)) return [];
  const values = { label: recipe.label, version: query.version, fallback: older.version, cc: formatCc(cc) };
  const note = render(older.note, values);
  return offers(table, { ...query, version: older.version }).map((offer) => ({
    ...offer,
    build: { ...offer.build, version: older.version, note },
  }));
}

/**
 * The offers that the words of a spec choose, in the offers' order: a build's name, its family, or the beginning of a
 * name up to a dash or dot (`cuda` is cuda-13.4 and cuda-12.8). No words choose everything.
 * Throws NO_BUILD for a word that chooses nothing.
 */
export function selectVariants(
  all: readonly BuildOffer[],
  words: readonly string[] | undefined,
): BuildOffer[] {
  if (words === undefined) return [...all];
  const unused = words.filter((word) => !all.some((offer) => isCalled(offer, word)));
  if (unused.length > 0) {
    const has = all.map((offer) => offer.build.variant);
    throw new FerryError(
      "NO_BUILD",
      `there is no variant ${unused.join(", ")}; there are ${has.join(", ")}`,
      {
        hint: "Name one of those, its family (cuda-13), or its kind (cuda). Variants differ between architectures: give each its own entry in the spec where that matters.",
        details: { unused, has },
      },
    );
  }
  return all.filter((offer) => words.some((word) => isCalled(offer, word)));
}

/** The offers that a word chooses by name, family or kind, in their order; none where it chooses nothing. */
export function kindOf(all: readonly BuildOffer[], word: string): BuildOffer[] {
  return all.filter((offer) => isCalled(offer, word));
}

function isCalled({ build, family }: BuildOffer, word: string): boolean {
  return [build.variant, family].some(
    (name) => name === word || name.startsWith(`${word}-`) || name.startsWith(`${word}.`),
  );
}

/** The rules for machines that nobody has seen, each with the facts it is meant for. */
function unseenRules(recipe: Recipe, query: OffersQuery): Map<BuildRule, Facts> {
  const { version, arch } = query;
  const machines: Facts[] = [
    ...(recipe.requires === "nvidia" ? [] : [{ version, arch, gpu: "none" as const, cc: 0 }]),
    { version, arch, gpu: "nvidia", cc: 0 },
  ];
  const found = new Map<BuildRule, Facts>();
  for (const facts of machines) {
    for (const rule of existingRules(recipe, facts)) if (!found.has(rule)) found.set(rule, facts);
  }
  return found;
}
