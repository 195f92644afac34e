import type { BuildOffer, BuildProblem } from "./build.ts";
import { pick } from "./choice.ts";
import type { BuildRule } from "./fields.ts";
import { isFamily, memberSource } from "./member.ts";
import { near } from "./near.ts";
import { offerOf, valuesFor } from "./render-build.ts";
import type { Recipe } from "./schema.ts";
import { patternWithHole, render } from "./template.ts";
import { wheelProblem } from "./wheel.ts";
import type { Facts } from "./when.ts";

/**
 * A build with the names that a release really has. A family comes to the one member that the release holds whole: the
 * same member in every name, each name matched as a whole, so that a runtime (`cudart-llama-…`) is never taken for the
 * server. No member, two, or an absent name: `problem` says so, and the build keeps the table's own names.
 */
export function resolveOffer(
  recipe: Recipe,
  rule: BuildRule,
  facts: Facts,
  assetNames: readonly string[],
): BuildOffer {
  if (isFamily(rule.variant)) return resolveFamily(recipe, rule, facts, assetNames);
  const offer = offerOf(recipe, rule, facts);
  const absent = (offer.build.assets ?? []).filter((name) => !assetNames.includes(name));
  if (absent.length > 0) return { ...offer, problem: missing(offer, absent, assetNames) };
  const problem = offer.build.wheel === undefined ? undefined : wheelProblem(offer.build.wheel, assetNames);
  return problem === undefined ? offer : { ...offer, problem };
}

function resolveFamily(
  recipe: Recipe,
  rule: BuildRule,
  facts: Facts,
  assetNames: readonly string[],
): BuildOffer {
  const values = valuesFor(recipe, facts, rule.variant);
  const templates = pick({ ...recipe.defaults, ...rule }.assets, facts, recipe.versions.ordering) ?? [];
  const hole = { name: "variant", source: memberSource(rule.variant) };
  const found = templates.flatMap((template) => {
    const pattern = patternWithHole(template, values, hole);
    return assetNames.flatMap((name) => {
      const member = pattern.exec(name)?.groups?.["hole"];
      return member === undefined ? [] : [{ name, member }];
    });
  });
  const members = [...new Set(found.map(({ member }) => member))];
  const [member] = members;
  const patterns = templates.map((template) => render(template, values));
  const table = offerOf(recipe, rule, facts);
  if (member === undefined) return { ...table, problem: missing(table, patterns, assetNames) };
  if (members.length > 1) {
    return {
      ...table,
      problem: ambiguous(
        table,
        patterns,
        found.map(({ name }) => name),
        members,
      ),
    };
  }
  const offer = offerOf(recipe, rule, facts, member);
  const absent = (offer.build.assets ?? []).filter((name) => !assetNames.includes(name));
  return absent.length === 0 ? offer : { ...table, problem: missing(offer, absent, assetNames) };
}

function missing(offer: BuildOffer, assets: string[], assetNames: readonly string[]): BuildProblem {
  const candidates = near(assets, assetNames);
  const where = offer.release === undefined ? "the release" : `${offer.release.repo} ${offer.release.tag}`;
  const has =
    assetNames.length === 0
      ? "it has no assets at all"
      : candidates.length === 0
        ? "and nothing of a similar name"
        : `it has ${candidates.join(", ")}`;
  const message = `${where} has no ${assets.join(" and no ")}; ${has}`;
  return { code: "UPSTREAM_MISSING_ASSETS", assets, candidates, message };
}

function ambiguous(
  offer: BuildOffer,
  assets: string[],
  candidates: string[],
  members: string[],
): BuildProblem {
  const where = offer.release === undefined ? "the release" : `${offer.release.repo} ${offer.release.tag}`;
  return {
    code: "UPSTREAM_AMBIGUOUS",
    assets,
    candidates,
    message: `${where} has ${members.length} builds where ${offer.family} must be one: ${members.join(", ")} (${candidates.join(", ")})`,
  };
}
