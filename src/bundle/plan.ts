import { FerryError, isFerryError } from "../errors.ts";
import type { Logger } from "../log.ts";
import type { Build, BuildOffer, Needs } from "../recipe/build.ts";
import type { RecipeTable } from "../recipe/load.ts";
import { offers, selectVariants } from "../recipe/query.ts";
import type { Recipe } from "../recipe/schema.ts";
import type { Artifact } from "../upstream/artifact.ts";
import { newestComplete } from "../upstream/latest.ts";
import type { Vouchers } from "../upstream/release-asset.ts";
import type { Releases } from "../upstream/releases.ts";
import { buildName } from "./build-name.ts";
import { type MissingBuild } from "./document.ts";
import { type Arch } from "./document-values.ts";
import { matchAssets } from "./match-assets.ts";
import { type SeenRelease, type UpstreamView, viewUpstream } from "./plan-upstream.ts";
import type { PythonBench } from "./python/bench.ts";
import { planPython } from "./python/plan-python.ts";
import type { PlannedPython } from "./python/planned.ts";
import type { Spec, SpecAssets, SpecEngine } from "./spec.ts";

export interface PlannedBuild {
  engine: string;
  /** The version as the spec names it: exact, or "latest". */
  asked: string;
  version: string;
  arch: Arch;
  variant: string;
  build: Build;
  needs: Needs;
  /** Every file that an installation needs, wheels included. */
  artifacts: Artifact[];
  /** Of an engine that runs in Python. */
  python?: PlannedPython;
}

/** What a spec comes to today: resolved against the recipe table and the releases as they are. Nothing is downloaded. */
export interface Plan {
  spec: Spec;
  builds: PlannedBuild[];
  /** Assets that the spec names by glob. */
  extras: { repo: string; tag: string; artifacts: Artifact[] }[];
  /** Every build that cannot be carried whole, and why. */
  missing: MissingBuild[];
  releases: SeenRelease[];
  recipes: { engine: string; recipe: Recipe }[];
}

export interface PlanInput {
  spec: Spec;
  table: RecipeTable;
  releases: Releases;
  githubUrl: string;
  logger: Logger;
  /** Versions that "latest" must come to, from a lock: `engine` → version. */
  pinnedLatest?: ReadonlyMap<string, string> | undefined;
  /** Times that Python builds are frozen at, from a lock: `buildName` → time. */
  pinnedTimes?: ReadonlyMap<string, string> | undefined;
  /** Absent: a spec that names a Python engine is refused. */
  python?: PythonBench | undefined;
}

interface Planner extends PlanInput {
  view: UpstreamView;
  latest: Map<string, string>;
  missing: MissingBuild[];
}

/**
 * Resolves a spec. What a release lacks is collected in `missing`, so that one run names every gap; a version that does
 * not exist at all, a name the table does not know, and digests that contradict each other throw at once.
 */
export async function makePlan(input: PlanInput): Promise<Plan> {
  const planner: Planner = {
    ...input,
    view: viewUpstream(input.releases, input.githubUrl),
    latest: new Map(),
    missing: [],
  };
  const builds: PlannedBuild[] = [];
  const recipes = new Map<string, Recipe>();
  for (const entry of input.spec.engines ?? []) {
    const recipe = input.table.recipe(entry.engine);
    recipes.set(entry.engine, recipe);
    for (const asked of entry.versions) builds.push(...(await planVersion(planner, recipe, entry, asked)));
  }
  const extras: Plan["extras"] = [];
  for (const entry of input.spec.assets ?? []) extras.push(await planAssets(planner, entry));
  return {
    spec: input.spec,
    builds: withoutRepeats(builds),
    extras,
    missing: planner.missing,
    releases: planner.view.seen(),
    recipes: [...recipes].map(([engine, recipe]) => ({ engine, recipe })),
  };
}

async function planVersion(
  planner: Planner,
  recipe: Recipe,
  entry: SpecEngine,
  asked: string,
): Promise<PlannedBuild[]> {
  const version = asked === "latest" ? await resolveLatest(planner, recipe, entry) : asked;
  const planned: PlannedBuild[] = [];
  let offered = 0;
  for (const arch of entry.arch) {
    const chosen = await offersFor(planner, entry, version, arch);
    offered += chosen.length;
    for (const offer of chosen) {
      const build = await planOffer(planner, recipe, { entry, asked, version, arch, offer });
      if (build !== undefined) planned.push(build);
    }
  }
  if (offered === 0) {
    throw new FerryError(
      "NO_BUILD",
      `${entry.engine} ${version} has no build for ${entry.arch.join(" or ")} that the spec asks for`,
      { hint: `See what there is with: ferry recipe builds ${entry.engine} ${version} --arch ARCH` },
    );
  }
  return planned;
}

/** One version an engine, complete for every entry that asks for its latest: a lock holds one, and so does a bundle. */
async function resolveLatest(planner: Planner, recipe: Recipe, { engine }: SpecEngine): Promise<string> {
  const known = planner.pinnedLatest?.get(engine) ?? planner.latest.get(engine);
  if (known !== undefined) return known;
  const asking = (planner.spec.engines ?? []).filter(
    (entry) => entry.engine === engine && entry.versions.includes("latest"),
  );
  const lacking = (version: string, names: readonly string[]): string[] =>
    asking.flatMap(({ arch: archs, variants }) =>
      archs.flatMap((arch) =>
        selectVariants(offers(planner.table, { engine, version, arch }, names), variants).flatMap(
          ({ problem }) => (problem === undefined ? [] : [problem.message]),
        ),
      ),
    );
  const version = await newestComplete(planner.releases, recipe, lacking, planner.logger);
  planner.logger.info(`latest ${recipe.label} is ${version}`);
  planner.latest.set(engine, version);
  return version;
}

/** The builds that one entry asks for on one architecture, with names from the release's own list where there is one. */
async function offersFor(
  planner: Planner,
  entry: SpecEngine,
  version: string,
  arch: Arch,
): Promise<BuildOffer[]> {
  const query = { engine: entry.engine, version, arch };
  const byTable = offers(planner.table, query);
  const release = byTable.find((offer) => offer.release !== undefined)?.release;
  if (release === undefined) return selectVariants(byTable, entry.variants);
  const { release: found } = await planner.view.release(release.repo, release.tag);
  const names = found.assets.map((asset) => asset.name);
  return selectVariants(offers(planner.table, query, names), entry.variants);
}

interface Wanted {
  entry: SpecEngine;
  asked: string;
  version: string;
  arch: Arch;
  offer: BuildOffer;
}

/** One build with its artifacts, or undefined where it went into `missing`. */
async function planOffer(
  planner: Planner,
  recipe: Recipe,
  wanted: Wanted,
): Promise<PlannedBuild | undefined> {
  const { entry, asked, version, arch, offer } = wanted;
  const { problem } = offer;
  const isPython = offer.build.python !== undefined;
  if (problem !== undefined || (offer.release === undefined && !isPython)) {
    recordGap(planner, wanted, problem?.assets ?? [], problem?.message ?? "the recipe names no release");
    return undefined;
  }
  const { variant } = offer.build;
  const named = { engine: entry.engine, asked, version, arch, variant, needs: offer.needs };
  try {
    const assets = await planAssetsOf(planner, recipe, offer);
    if (!isPython) return { ...named, build: offer.build, artifacts: assets };
    return { ...named, ...(await planPython({ ...planner, recipe, ...named, build: offer.build, assets })) };
  } catch (error) {
    if (!isGap(error)) throw error;
    const asset = error.details?.["asset"];
    recordGap(planner, wanted, typeof asset === "string" ? [asset] : [], error.message);
    return undefined;
  }
}

async function planAssetsOf({ view }: Planner, recipe: Recipe, offer: BuildOffer): Promise<Artifact[]> {
  const artifacts: Artifact[] = [];
  if (offer.release === undefined) return artifacts;
  const seen = await view.release(offer.release.repo, offer.release.tag);
  for (const name of offer.build.assets ?? []) {
    artifacts.push(await view.asset(seen, name, { checksums: recipe.checksums }));
  }
  return artifacts;
}

function recordGap(
  planner: Planner,
  { entry, version, arch, offer }: Wanted,
  assets: string[],
  reason: string,
): void {
  planner.missing.push({ engine: entry.engine, version, arch, variant: offer.build.variant, assets, reason });
}

async function planAssets(planner: Planner, entry: SpecAssets): Promise<Plan["extras"][number]> {
  const seen = await planner.view.release(entry.repo, entry.tag);
  const names = matchAssets(
    entry,
    seen.release.assets.map((asset) => asset.name),
  );
  const vouchers: Vouchers = { spec: entry.sha256, checksums: entry.checksums, unverified: entry.unverified };
  const artifacts: Artifact[] = [];
  for (const name of names) artifacts.push(await planner.view.asset(seen, name, vouchers));
  return { repo: entry.repo, tag: entry.tag, artifacts };
}

/** Faults of one asset that leave the rest of the plan standing. */
function isGap(error: unknown): error is FerryError {
  return (
    isFerryError(error, "UPSTREAM_MISSING_ASSETS") ||
    isFerryError(error, "UPSTREAM_UPLOADING") ||
    isFerryError(error, "UPSTREAM_NO_CHECKSUM") ||
    isFerryError(error, "PYTHON_NO_SOLUTION") ||
    isFerryError(error, "PYTHON_SOURCE_ONLY")
  );
}

/** Two entries of a spec may name the same build; it is carried once. */
function withoutRepeats(builds: PlannedBuild[]): PlannedBuild[] {
  return [...new Map(builds.map((build) => [buildName(build), build])).values()];
}
