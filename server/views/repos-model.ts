import type { Catalog } from "../catalog.ts";
import type { CatalogRepo } from "../catalog-releases.ts";
import { releasePath, releasesPath } from "./paths.ts";

export interface RepoModel {
  repo: string;
  page: string;
  /** All of them. */
  count: number;
  releases: ReleaseLine[];
}

export interface ReleaseLine {
  tag: string;
  page: string;
  /** Its title, where it is not the tag again. */
  name: string | undefined;
  prerelease: boolean;
  published: string;
  assets: number;
  bytes: number;
}

/** Every repository with its newest releases, `shown` of each. */
export function reposModel({ repos }: Catalog, base: string, shown: number): RepoModel[] {
  return [...repos.values()].map((repo) => repoModel(repo, base, shown));
}

export function repoModel({ repo, releases }: CatalogRepo, base: string, shown = Infinity): RepoModel {
  return {
    repo,
    page: `${base}/${releasesPath(repo)}`,
    count: releases.length,
    releases: releases.slice(0, shown).map(({ tag, name, prerelease, publishedAt, assets }) => ({
      tag,
      page: `${base}/${releasePath(repo, tag)}`,
      name: name === null || name === tag || name === "" ? undefined : name,
      prerelease,
      published: publishedAt,
      assets: assets.length,
      bytes: assets.reduce((sum, { size }) => sum + size, 0),
    })),
  };
}
