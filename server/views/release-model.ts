import type { CarriedFile, CarriedRelease } from "../../src/bundle/document.ts";
import { hexOf } from "../../src/lib/digest.ts";
import { versionOfTag } from "../../src/recipe/versions-of.ts";
import { encodePath, releaseAssetPath } from "../../src/wire/github.ts";
import type { Catalog } from "../catalog.ts";
import type { CatalogRepo } from "../catalog-releases.ts";
import { sourceArchivePath } from "../github-json.ts";
import { type GapModel, gapsModel } from "./gaps-model.ts";
import { installOf } from "./install-command.ts";
import { releasesPath } from "./paths.ts";
import type { Site } from "./site.ts";

/** Everything that a release's page shows. Times are ISO 8601, sizes bytes. */
export interface ReleaseModel {
  base: string;
  repo: string;
  tag: string;
  /** Its title, where it is not the tag again. */
  name: string | undefined;
  prerelease: boolean;
  immutable: boolean;
  published: string;
  /** Page with all releases of the repository. */
  releases: string;
  /** The API's answer for it. */
  api: string;
  bytes: number;
  assets: AssetModel[];
  /** Listed by a bundle, and not here: a volume is missing. */
  waiting: { name: string; size: number; bundle: string }[];
  source: string | undefined;
  /** Commands that install it, of every engine that the release holds. */
  installs: { what: string; command: string }[];
  gaps: GapModel[];
}

export interface AssetModel {
  name: string;
  url: string;
  size: number;
  /** 64 hexadecimal digits. */
  sha256: string;
  updated: string;
  /** Why the builder believed the digest. */
  trust: CarriedFile["trust"] | undefined;
  bundle: string | undefined;
  /** Whether nobody signed that bundle. */
  unsigned: boolean;
}

export function releaseModel(
  release: CarriedRelease,
  { repo }: CatalogRepo,
  catalog: Catalog,
  site: Site,
): ReleaseModel {
  const { base } = site;
  const { tag, name, prerelease, immutable, publishedAt, assets } = release;
  const listed = filesOf(repo, tag, catalog);
  const listing = new Map(listed.toReversed().map((one) => [`${one.name} ${one.file.digest}`, one]));
  const source = sourceArchivePath(repo, tag);
  const url = (path: string): string => `${base}/${encodePath(path)}`;
  return {
    base,
    repo,
    tag,
    name: name === null || name === tag || name === "" ? undefined : name,
    prerelease,
    immutable,
    published: publishedAt,
    releases: `${base}/${releasesPath(repo)}`,
    api: `${base}/api/v3/${encodePath(`repos/${repo}/releases/tags/${tag}`)}`,
    bytes: assets.reduce((sum, { size }) => sum + size, 0),
    assets: assets.map((asset) => {
      const file = listing.get(`${asset.name} ${asset.digest}`);
      return {
        name: asset.name,
        url: url(releaseAssetPath(repo, tag, asset.name)),
        size: asset.size,
        sha256: hexOf(asset.digest),
        updated: asset.updatedAt,
        trust: file?.file.trust,
        bundle: file?.bundle,
        unsigned: file?.unsigned === true,
      };
    }),
    waiting: waitingOf(listed, catalog),
    source: catalog.lookup(source) === undefined ? undefined : url(source),
    ...ofEngines(repo, tag, catalog, site),
  };
}

interface ListedFile {
  name: string;
  file: CarriedFile;
  bundle: string;
  unsigned: boolean;
}

/** The files that bundles list for a release; of one that several list, the last imported comes first. */
function filesOf(repo: string, tag: string, { bundles }: Catalog): ListedFile[] {
  const owner = repo.toLowerCase();
  const folder = `/releases/download/${tag}/`;
  return bundles
    .flatMap(({ document, signedBy }) =>
      document.files.flatMap((file) => {
        const { path } = file;
        const name = path.slice(repo.length + folder.length);
        if (!path.startsWith(folder, repo.length) || name.includes("/")) return [];
        if (path.slice(0, repo.length).toLowerCase() !== owner) return [];
        const bundle = `${document.name} ${document.counter}`;
        return [{ name, file, bundle, unsigned: signedBy?.length === 0 }];
      }),
    )
    .reverse();
}

/** Listed files whose bytes are not here, each once. */
function waitingOf(listed: readonly ListedFile[], catalog: Catalog): ReleaseModel["waiting"] {
  const waiting = listed.filter(({ file }) => catalog.lookup(file.path) === undefined);
  return [...new Map(waiting.map((one) => [one.name, one])).values()].map(({ name, file, bundle }) => ({
    name,
    size: file.size,
    bundle,
  }));
}

/** What the engines whose release it is say of it. */
function ofEngines(
  repo: string,
  tag: string,
  catalog: Catalog,
  site: Site,
): Pick<ReleaseModel, "installs" | "gaps"> {
  const versions = new Map(
    [...catalog.recipes].flatMap(([engine, recipe]) => {
      if (recipe.github?.toLowerCase() !== repo.toLowerCase()) return [];
      return [[engine, versionOfTag(recipe, tag) ?? tag]];
    }),
  );
  return {
    installs: [...versions].flatMap(([engine, version]) => {
      const builds = catalog.builds.filter((one) => one.engine === engine && one.version === version);
      const { install } = installOf(builds, catalog, site);
      const label = catalog.recipes.get(engine)?.label ?? engine;
      return install === undefined ? [] : [{ what: `${label} ${version}`, command: install }];
    }),
    gaps: gapsModel(catalog).filter(({ engine, version }) => versions.get(engine) === version),
  };
}
