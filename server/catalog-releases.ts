import type { BundleDocument, CarriedRelease } from "../src/bundle/document.ts";
import type { Digest } from "../src/lib/digest.ts";
import { type Aliases, repoKey } from "../src/recipe/repo-key.ts";
import { releaseAssetPath } from "../src/wire/github.ts";

/** Releases of one repository, newest first as GitHub lists them. */
export interface CatalogRepo {
  /** As the bundles spell it. */
  repo: string;
  releases: readonly CarriedRelease[];
  byTag: ReadonlyMap<string, CarriedRelease>;
  byId: ReadonlyMap<number, CarriedRelease>;
  assets: ReadonlyMap<number, { release: CarriedRelease; asset: CarriedAsset }>;
}

export type CarriedAsset = CarriedRelease["assets"][number];

/**
 * The releases of all documents, merged: of a release that several carry, the later document says what it is called, and
 * the assets of all are listed, the later's winning. Only assets that are served with the digest that their release states are listed: `digestAt` gives
 * the digest that is served at a path's key.
 */
export function mergeReleases(
  documents: readonly BundleDocument[],
  aliases: Aliases,
  digestAt: (key: string) => Digest | undefined,
): Map<string, CatalogRepo> {
  const repos = new Map<string, Map<string, CarriedRelease>>();
  for (const release of documents.flatMap(({ releases }) => releases)) {
    const key = repoKey(release.repo, aliases);
    const tags = repos.get(key) ?? new Map<string, CarriedRelease>();
    repos.set(key, tags);
    const assets = release.assets.filter(
      ({ name, digest }) => digestAt(releaseAssetPath(key, release.tag, name)) === digest,
    );
    const earlier = tags.get(release.tag)?.assets ?? [];
    const names = new Set(assets.map(({ name }) => name));
    const kept = earlier.filter(({ name }) => !names.has(name));
    tags.set(release.tag, { ...release, assets: [...assets, ...kept].sort(byName) });
  }
  return new Map([...repos].map(([key, tags]) => [key, catalogRepo([...tags.values()])]));
}

function catalogRepo(unordered: readonly CarriedRelease[]): CatalogRepo {
  const releases = [...unordered].sort(newestFirst);
  return {
    repo: releases[0]?.repo ?? "",
    releases,
    byTag: new Map(releases.map((release) => [release.tag, release])),
    byId: new Map(releases.map((release) => [release.id, release])),
    assets: new Map(
      releases.flatMap((release) => release.assets.map((asset) => [asset.id, { release, asset }])),
    ),
  };
}

/**
 * What GitHub calls the latest release: the newest that is no prerelease. undefined where all that is carried are
 * prereleases, as llama.cpp's bNNNN builds are: upstream's own `latest` names none of them either, and a mirror that
 * named one would give nodes what GitHub never gives.
 */
export function latestRelease(repo: CatalogRepo): CarriedRelease | undefined {
  return repo.releases.find(({ prerelease }) => !prerelease);
}

/** GitHub sorts by `created_at`; tags of one commit by when they were published. */
function newestFirst(a: CarriedRelease, b: CarriedRelease): number {
  return time(b.createdAt) - time(a.createdAt) || time(b.publishedAt) - time(a.publishedAt) || b.id - a.id;
}

function time(text: string): number {
  const parsed = Date.parse(text);
  return Number.isNaN(parsed) ? 0 : parsed;
}

function byName(a: CarriedAsset, b: CarriedAsset): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
