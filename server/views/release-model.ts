import type { CarriedFile, CarriedRelease } from "../../src/bundle/document.ts";
import { hexOf } from "../../src/lib/digest.ts";
import { versionOfTag } from "../../src/recipe/versions-of.ts";
import { encodePath, releaseAssetPath } from "../../src/wire/github.ts";
import type { Catalog } from "../catalog.ts";
import type { CatalogRepo } from "../catalog-releases.ts";
import { sourceArchivePath } from "../github-json.ts";
import { enginesModel } from "./engines-model.ts";
import { type GapModel, gapsModel } from "./gaps-model.ts";
import { releasesPath } from "./paths.ts";

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
}

export function releaseModel(
  release: CarriedRelease,
  { repo }: CatalogRepo,
  catalog: Catalog,
  base: string,
): ReleaseModel {
  const { tag, name, prerelease, immutable, publishedAt, assets } = release;
  const folder = releaseAssetPath(repo, tag, "");
  const listed = filesUnder(folder, catalog);
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
      const file = listed.find((one) => one.name === asset.name && one.file.digest === asset.digest);
      return {
        name: asset.name,
        url: url(releaseAssetPath(repo, tag, asset.name)),
        size: asset.size,
        sha256: hexOf(asset.digest),
        updated: asset.updatedAt,
        trust: file?.file.trust,
        bundle: file?.bundle,
      };
    }),
    waiting: listed
      .filter(({ file }) => catalog.lookup(file.path) === undefined)
      .map(({ name: file, file: { size }, bundle }) => ({ name: file, size, bundle })),
    source: catalog.lookup(source) === undefined ? undefined : url(source),
    ...ofEngines(repo, tag, catalog, base),
  };
}

/** The files that bundles list for a release; of one that several list, the last imported comes first. */
function filesUnder(
  folder: string,
  { bundles }: Catalog,
): { name: string; file: CarriedFile; bundle: string }[] {
  const prefix = folder.toLowerCase();
  return bundles
    .flatMap(({ document }) =>
      document.files
        .filter(({ path }) => path.toLowerCase().startsWith(prefix))
        .map((file) => ({
          name: file.path.slice(folder.length),
          file,
          bundle: `${document.name} ${document.counter}`,
        })),
    )
    .reverse();
}

/** What the engines whose release it is say of it. */
function ofEngines(
  repo: string,
  tag: string,
  catalog: Catalog,
  base: string,
): Pick<ReleaseModel, "installs" | "gaps"> {
  const versions = new Map(
    [...catalog.recipes].flatMap(([engine, recipe]) => {
      if (recipe.github?.toLowerCase() !== repo.toLowerCase()) return [];
      return [[engine, versionOfTag(recipe, tag) ?? tag]];
    }),
  );
  return {
    installs: enginesModel(catalog, base).flatMap(({ id, label, versions: here }) =>
      here.flatMap(({ version, install }) =>
        install !== undefined && versions.get(id) === version
          ? [{ what: `${label} ${version}`, command: install }]
          : [],
      ),
    ),
    gaps: gapsModel(catalog).filter(({ engine, version }) => versions.get(engine) === version),
  };
}
