import { FerryError } from "../errors.ts";
import type { BuildOffer } from "./build.ts";
import { pick } from "./choice.ts";
import { resolveOffer } from "./family.ts";
import type { BuildRule } from "./fields.ts";
import { existingRules, requireArch, requirePin } from "./guards.ts";
import type { Host } from "./host.ts";
import { formatCc, refusal } from "./needs.ts";
import { offerOf } from "./render-build.ts";
import type { Recipe } from "./schema.ts";
import type { RecipeTable } from "./table.ts";
import { render } from "./template.ts";
import { requireVersion } from "./versions-of.ts";
import type { Facts } from "./when.ts";

export interface CandidatesQuery {
  engine: string;
  version: string;
  /** Empty: any. Otherwise the exact name of a build; with a release at hand its family will do too. */
  variant: string;
  host: Host;
}

/**
 * The builds that may run on a machine, best first; never empty. With `assetNames`, the release's own list, families
 * come to the member that is there, and a build that the release cannot satisfy carries its `problem`.
 * Throws ENGINE_UNKNOWN, VERSION_INVALID, UPSTREAM_NOT_A_BUILD, SOURCE_UNPINNED, or NO_BUILD in words; where the engine
 * is merely not for this machine, which is no fault, NO_BUILD has `details.notHere`.
 */
export function candidates(
  table: RecipeTable,
  query: CandidatesQuery,
  assetNames?: readonly string[],
): BuildOffer[] {
  const { engine, host } = query;
  const recipe = table.recipe(engine);
  requireVersion(recipe, query.version);
  requireArch(recipe, host.arch);
  requireGpu(recipe, host);
  const version = versionFor(recipe, query.version, host);
  const facts: Facts = {
    version,
    arch: host.arch,
    gpu: host.nvidiaDriver === "" ? "none" : "nvidia",
    cc: host.minComputeCapability,
  };
  const rules = existingRules(recipe, facts);
  requirePin(recipe, engine, version, rules);
  const replaced = version !== query.version;
  const here = rules.map((rule) => ({
    rule,
    // The list belongs to the release that was asked for; an older one's names are the table's.
    offer:
      assetNames === undefined || replaced
        ? offerOf(recipe, rule, facts)
        : resolveOffer(recipe, rule, facts, assetNames),
  }));
  const chosen = chooseVariant(recipe, query, version, here, assetNames !== undefined);
  const fitting = refuseUnfit(recipe, version, host, chosen);
  return replaced ? fitting.map((offer) => withNote(recipe, query.version, version, host, offer)) : fitting;
}

interface Here {
  rule: BuildRule;
  offer: BuildOffer;
}

function requireGpu(recipe: Recipe, host: Host): void {
  if (recipe.requires !== "nvidia" || host.nvidiaDriver !== "") return;
  throw new FerryError(
    "NO_BUILD",
    `${recipe.label} runs on NVIDIA GPUs, and this machine has no NVIDIA driver`,
    {
      hint: "Install the driver if the machine has such a card; otherwise choose an engine that runs without one.",
      details: { notHere: true },
    },
  );
}

/** The version asked for, or the fallback on a card that only the older one has code for. */
function versionFor(recipe: Recipe, version: string, host: Host): string {
  const cc = host.minComputeCapability;
  if (cc === 0 || cc >= minimum(recipe, version, host.arch)) return version;
  const older = recipe.fallback?.version;
  if (older !== undefined && cc >= minimum(recipe, older, host.arch)) return older;
  const lowest = formatCc(minimum(recipe, version, host.arch));
  throw new FerryError(
    "NO_BUILD",
    `no ${recipe.label} is built for GPUs of compute capability ${formatCc(cc)} on ${host.arch}; ${version} begins at ${lowest}`,
    { hint: "Choose an engine that still has code for this card, such as llamacpp." },
  );
}

export function minimum(recipe: Recipe, version: string, arch: string): number {
  return pick(recipe.minCompute, { version, arch, gpu: "nvidia", cc: 0 }, recipe.versions.ordering) ?? 0;
}

function chooseVariant(
  recipe: Recipe,
  query: CandidatesQuery,
  version: string,
  here: Here[],
  byFamily: boolean,
): Here[] {
  if (query.variant === "" || recipe.tool === true) return here;
  const named = (variant: string): Here[] =>
    here.filter(({ offer }) => offer.build.variant === variant || (byFamily && offer.family === variant));
  const found = named(query.variant);
  if (found.length > 0) return found;
  const alias = Object.entries(recipe.aliases ?? {}).find(([word]) => word === query.variant)?.[1];
  const byAlias = alias === undefined ? [] : here.filter(({ rule }) => rule.variant === alias);
  if (byAlias.length > 0) return byAlias;
  const has = here.map(({ offer }) => offer.build.variant);
  throw new FerryError(
    "NO_BUILD",
    `${recipe.label} ${version} has no build ${JSON.stringify(query.variant)} for this machine; it has ${has.length === 0 ? "none" : has.join(", ")}`,
    { hint: "Name one of those, or no variant at all.", details: { variant: query.variant, has } },
  );
}

function refuseUnfit(recipe: Recipe, version: string, host: Host, chosen: Here[]): BuildOffer[] {
  const reasons: string[] = [];
  const fitting = chosen.filter(({ rule, offer }) => {
    const built = rule.what === undefined ? "" : ` for ${rule.what}`;
    const why = refusal(offer.needs, host, `${recipe.label} ${version}${built} (${offer.build.variant})`);
    if (why !== undefined) reasons.push(why);
    return why === undefined;
  });
  if (fitting.length > 0) return fitting.map(({ offer }) => offer);
  const why = reasons.length === 0 ? "it has none for a machine like this" : reasons.join("; ");
  throw new FerryError("NO_BUILD", `no build of ${recipe.label} ${version} runs on this machine: ${why}`, {
    hint: "Update the driver, or ask for another version or engine.",
    details: { reasons },
  });
}

function withNote(recipe: Recipe, asked: string, version: string, host: Host, offer: BuildOffer): BuildOffer {
  const values = {
    label: recipe.label,
    version: asked,
    fallback: version,
    cc: formatCc(host.minComputeCapability),
  };
  return { ...offer, build: { ...offer.build, version, note: render(recipe.fallback?.note ?? "", values) } };
}
