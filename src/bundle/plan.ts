import { FerryError, isFerryError } from "../errors.ts";
import type { Logger } from "../log.ts";
import type { Build, BuildOffer, Needs } from "../recipe/build.ts";
import type { RecipeTable } from "../recipe/load.ts";
import { offers, selectVariants } from "../recipe/query.ts";
import type { Recipe } from "../recipe/schema.ts";
import type { Artifact } from "../upstream/artifact.ts";
import { newestComplete } from "../upstream/latest.ts";
import { artifactOf, type Vouchers } from "../upstream/release-asset.ts";
import type { Releases } from "../upstream/releases.ts";
import { type GithubRelease, releaseAssetPath } from "../wire/github.ts";
import { type MissingBuild } from "./document.ts";
import { type Arch } from "./document-values.ts";
import { matchAssets } from "./match-assets.ts";
import { requireServable } from "./servable.ts";
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
  artifacts: Artifact[];
}

/** What a spec comes to today: resolved against the recipe table and the releases as they are. Nothing is downloaded. */
export interface Plan {
  spec: Spec;
  builds: PlannedBuild[];
  /** Assets that the spec names by glob. */
  extras: { repo: string; tag: string; artifacts: Artifact[] }[];
  /** Every build that cannot be carried whole, and why. */
  missing: MissingBuild[];
  releases: { repo: string; release: GithubRelease }[];
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
}

interface SeenRelease {
  repo: string;
  release: GithubRelease;
}

interface Planner extends PlanInput {
  seenReleases: Map<string, SeenRelease>;
  seenArtifacts: Map<string, Promise<Artifact>>;
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
    releases: rememberingTexts(input.releases),
    seenReleases: new Map(),
    seenArtifacts: new Map(),
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
    releases: [...planner.seenReleases.values()],
    recipes: [...recipes].map(([engine, recipe]) => ({ engine, recipe })),
  };
}

/** A release's checksum file vouches for many assets; it is fetched once. */
function rememberingTexts(releases: Releases): Releases {
  const texts = new Map<string, Promise<string>>();
  return {
    ...releases,
    text: (repo, tag, name) => {
      const key = `${repo} ${tag} ${name}`;
      const text = texts.get(key) ?? releases.text(repo, tag, name);
      texts.set(key, text);
      return text;
    },
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
    const chosen = await offersFor(planner, recipe, entry, version, arch);
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
  recipe: Recipe,
  entry: SpecEngine,
  version: string,
  arch: Arch,
): Promise<BuildOffer[]> {
  const query = { engine: entry.engine, version, arch };
  const byTable = offers(planner.table, query);
  const python = byTable.find((offer) => offer.build.python !== undefined);
  if (python !== undefined) {
    throw new FerryError(
      "UNSUPPORTED",
      `${recipe.label} is a Python engine; this ferry carries engines that are release archives`,
      {
        hint: `Take ${entry.engine} out of the spec. Its recipe can be looked at with: ferry recipe builds ${entry.engine} ${version} --arch ${arch}`,
      },
    );
  }
  const release = byTable.find((offer) => offer.release !== undefined)?.release;
  if (release === undefined) return selectVariants(byTable, entry.variants);
  const { release: found } = await releaseOf(planner, release.repo, release.tag);
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
  const { release: named, problem } = offer;
  if (problem !== undefined || named === undefined) {
    recordGap(planner, wanted, problem?.assets ?? [], problem?.message ?? "the recipe names no release");
    return undefined;
  }
  const seen = await releaseOf(planner, named.repo, named.tag);
  const artifacts: Artifact[] = [];
  for (const name of offer.build.assets ?? []) {
    try {
      artifacts.push(await planAsset(planner, seen, name, { checksums: recipe.checksums }));
    } catch (error) {
      if (!isGap(error)) throw error;
      recordGap(planner, wanted, [name], error.message);
      return undefined;
    }
  }
  return {
    engine: entry.engine,
    asked,
    version,
    arch,
    variant: offer.build.variant,
    build: offer.build,
    needs: offer.needs,
    artifacts,
  };
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
  const seen = await releaseOf(planner, entry.repo, entry.tag);
  const names = matchAssets(
    entry,
    seen.release.assets.map((asset) => asset.name),
  );
  const vouchers: Vouchers = { spec: entry.sha256, checksums: entry.checksums, unverified: entry.unverified };
  const artifacts: Artifact[] = [];
  for (const name of names) artifacts.push(await planAsset(planner, seen, name, vouchers));
  return { repo: entry.repo, tag: entry.tag, artifacts };
}

async function planAsset(
  planner: Planner,
  { repo, release }: SeenRelease,
  name: string,
  vouchers: Vouchers,
): Promise<Artifact> {
  const asset = release.assets.find((candidate) => candidate.name === name);
  if (asset === undefined) {
    throw new FerryError("UPSTREAM_MISSING_ASSETS", `${repo} ${release.tag_name} has no asset ${name}`, {
      hint: "Ask for another version, or leave this build out of the spec.",
    });
  }
  const { releases, githubUrl } = planner;
  // What vouches for it belongs to the key: each entry of a spec is held to what it says itself.
  const key = JSON.stringify([repo, release.tag_name, name, vouchers]);
  const known = planner.seenArtifacts.get(key);
  if (known !== undefined) return known;
  requireServable(releaseAssetPath(repo, release.tag_name, name));
  const made = artifactOf(asset, { releases, repo, release, githubUrl, vouchers });
  planner.seenArtifacts.set(key, made);
  return made;
}

/** A release is called as the spec or recipe first wrote it: the same name in other letters is the same repository. */
async function releaseOf(planner: Planner, repo: string, tag: string): Promise<SeenRelease> {
  const key = `${repo.toLowerCase()} ${tag}`;
  const known = planner.seenReleases.get(key);
  if (known !== undefined) return known;
  const seen = { repo, release: await planner.releases.byTag(repo, tag) };
  planner.seenReleases.set(key, seen);
  return seen;
}

/** Faults of one asset that leave the rest of the plan standing. */
function isGap(error: unknown): error is FerryError {
  return (
    isFerryError(error, "UPSTREAM_MISSING_ASSETS") ||
    isFerryError(error, "UPSTREAM_UPLOADING") ||
    isFerryError(error, "UPSTREAM_NO_CHECKSUM")
  );
}

/** Two entries of a spec may name the same build; it is carried once. */
function withoutRepeats(builds: PlannedBuild[]): PlannedBuild[] {
  const key = (build: PlannedBuild): string =>
    `${build.engine} ${build.version} ${build.arch} ${build.variant}`;
  return [...new Map(builds.map((build) => [key(build), build])).values()];
}
