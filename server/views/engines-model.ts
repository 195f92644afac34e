import type { CarriedBuild } from "../../src/bundle/document.ts";
import type { Arch } from "../../src/bundle/document-values.ts";
import { compareVersions } from "../../src/recipe/version.ts";
import { versionOfTag } from "../../src/recipe/versions-of.ts";
import type { Catalog, CatalogBuild } from "../catalog.ts";
import { type BuildNeeds, needsInWords } from "./build-needs.ts";
import { type Install, installOf } from "./install-command.ts";
import { releasePath, releasesPath } from "./paths.ts";
import type { Site } from "./site.ts";

/** An engine with everything of it that is here. */
export interface EngineModel {
  id: string;
  label: string;
  /** Needed by other engines, no engine itself. */
  tool: boolean;
  /** Newest first, as many as a page can show. */
  versions: VersionModel[];
  /** All that are here. */
  count: number;
  /** The page with all releases of its repository; undefined where none is carried. */
  page: string | undefined;
}

export interface VersionModel extends Install {
  version: string;
  /** Where its release's page is, on this mirror; undefined where no bundle carries the release. */
  page: string | undefined;
  variants: VariantModel[];
  /** Whether a build of it comes from a bundle that nobody signed. */
  unsigned: boolean;
}

export interface VariantModel {
  variant: string;
  cells: Record<Arch, Cell>;
  needs: BuildNeeds;
}

/** What of a variant is here for an architecture. Bytes are what a node downloads. */
export type Cell =
  | { state: "here"; bytes: number }
  /** A volume of its bundle has not been imported. */
  | { state: "waiting" }
  /** The bundle was built without it, which it records. */
  | { state: "gap" }
  | { state: "none" };

/** A mirror of some years holds hundreds: they can be asked for all the same. */
const VERSIONS_SHOWN = 24;

export const ARCHS: readonly Arch[] = ["amd64", "arm64"];

export function enginesModel(catalog: Catalog, site: Site): EngineModel[] {
  const ids = new Set([...catalog.builds, ...catalog.missing].map(({ engine }) => engine));
  const unsigned = unsignedBuilds(catalog);
  return [...ids]
    .map((id) => engineModel(id, catalog, site, unsigned))
    .sort(
      (a, b) => Number(a.tool) - Number(b.tool) || (a.label.toLowerCase() < b.label.toLowerCase() ? -1 : 1),
    );
}

function engineModel(id: string, catalog: Catalog, site: Site, unsigned: ReadonlySet<string>): EngineModel {
  const recipe = catalog.recipes.get(id);
  const mine = [...catalog.builds, ...catalog.missing].filter(({ engine }) => engine === id);
  const ordering = recipe?.versions.ordering ?? "pep440";
  const all = [...new Set(mine.map(({ version }) => version))].sort(
    (a, b) => compareVersions(b, a, ordering) || (a < b ? 1 : -1),
  );
  const repo = recipe?.github === undefined ? undefined : catalog.repo(recipe.github)?.repo;
  return {
    id,
    label: recipe?.label ?? id,
    tool: recipe?.tool === true,
    versions: all
      .slice(0, VERSIONS_SHOWN)
      .map((version) => versionModel(id, version, catalog, site, unsigned)),
    count: all.length,
    page: repo === undefined ? undefined : `${site.base}/${releasesPath(repo)}`,
  };
}

function versionModel(
  engine: string,
  version: string,
  catalog: Catalog,
  site: Site,
  unsigned: ReadonlySet<string>,
): VersionModel {
  const builds = catalog.builds.filter((one) => one.engine === engine && one.version === version);
  const gaps = catalog.missing.filter((one) => one.engine === engine && one.version === version);
  const names = new Set([...builds, ...gaps].map(({ variant }) => variant));
  return {
    version,
    page: pageOf(engine, version, catalog, site),
    variants: [...names].map((variant) => {
      const of = builds.filter((one) => one.variant === variant);
      const missing = gaps.filter((one) => one.variant === variant).map(({ arch }) => arch);
      return {
        variant,
        cells: { amd64: cellOf(of, missing, "amd64", catalog), arm64: cellOf(of, missing, "arm64", catalog) },
        needs: mergedNeeds(of, catalog),
      };
    }),
    unsigned: builds.some((build) => unsigned.has(buildKey(build))),
    ...installOf(builds, catalog, site),
  };
}

function cellOf(
  builds: readonly CatalogBuild[],
  missing: readonly Arch[],
  arch: Arch,
  catalog: Catalog,
): Cell {
  const build = builds.find((one) => one.arch === arch);
  if (build === undefined) return { state: missing.includes(arch) ? "gap" : "none" };
  return build.complete ? { state: "here", bytes: downloadOf(build, catalog) } : { state: "waiting" };
}

/** Of a Python build several wheels of a package may be carried, of which a node takes the best. */
function downloadOf({ bytes, python }: CatalogBuild, catalog: Catalog): number {
  if (python === undefined) return bytes;
  const { lock, uv, interpreter, source, assets } = python;
  const others = [lock, uv, interpreter, ...(source === undefined ? [] : [source]), ...assets];
  return others.reduce((sum, path) => sum + (catalog.lookup(path)?.size ?? 0), python.bytes);
}

/** What the architectures need, said once where they agree. */
function mergedNeeds(builds: readonly CatalogBuild[], catalog: Catalog): BuildNeeds {
  const all = builds.map((build) => ({
    arch: build.arch,
    needs: needsInWords(build, catalog.recipes.get(build.engine)),
  }));
  const said = (key: Exclude<keyof BuildNeeds, "also">): string | undefined => {
    const stated = all.flatMap(({ arch, needs }) =>
      needs[key] === undefined ? [] : [{ arch, text: needs[key] }],
    );
    const texts = new Set(stated.map(({ text }) => text));
    if (texts.size < 2 && stated.length === all.length) return stated[0]?.text;
    return stated.length === 0 ? undefined : stated.map(({ arch, text }) => `${arch}: ${text}`).join("; ");
  };
  const items = new Set(all.flatMap(({ needs }) => needs.also));
  const also = [...items].map((item) => {
    const archs = all.filter(({ needs }) => needs.also.includes(item)).map(({ arch }) => arch);
    return archs.length === all.length ? item : `${item} (${archs.join(", ")})`;
  });
  return { driver: said("driver"), compute: said("compute"), glibc: said("glibc"), also };
}

function pageOf(engine: string, version: string, catalog: Catalog, site: Site): string | undefined {
  const recipe = catalog.recipes.get(engine);
  const repo = recipe?.github === undefined ? undefined : catalog.repo(recipe.github);
  if (recipe === undefined || repo === undefined) return undefined;
  const release = repo.releases.find(({ tag }) => tag === version || versionOfTag(recipe, tag) === version);
  return release === undefined ? undefined : `${site.base}/${releasePath(repo.repo, release.tag)}`;
}

/** Builds that come from a bundle that nobody signed; of bundles that carry the same build, the last imported counts. */
function unsignedBuilds({ bundles }: Catalog): ReadonlySet<string> {
  const unsigned = new Set<string>();
  for (const { document, signedBy } of bundles) {
    for (const build of document.builds) {
      if (signedBy?.length === 0) unsigned.add(buildKey(build));
      else unsigned.delete(buildKey(build));
    }
  }
  return unsigned;
}

function buildKey({ engine, version, arch, variant }: CarriedBuild): string {
  return [engine, version, arch, variant].join(" ");
}
