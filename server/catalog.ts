import type { CarriedBuild, CarriedFile, MissingBuild } from "../src/bundle/document.ts";
import type { Digest } from "../src/lib/digest.ts";
import { lastPart } from "../src/lib/last-part.ts";
import { type Aliases, aliasesOf, pathKey, repoKey } from "../src/recipe/repo-key.ts";
import type { Recipe } from "../src/recipe/schema.ts";
import { byImport, byRank, type Ranked } from "../src/wire/store-annotations.ts";
import type { ServedBlob } from "./blob-sender.ts";
import type { LoadedBundle } from "./catalog-bundle.ts";
import { type CatalogRepo, mergeReleases } from "./catalog-releases.ts";
import { mergePython, type PythonCatalog } from "./python/python-catalog.ts";

/** A bundle in the catalog, with how much of it is here. Sizes are bytes. */
export interface CatalogBundle extends LoadedBundle {
  /** Distinct contents. */
  blobs: number;
  bytes: number;
  /** Paths whose bytes are not in the store: a volume that has not been imported yet. */
  absent: readonly string[];
}

/** A build that nodes can ask for. Of one that several bundles carry, the last imported counts. */
export interface CatalogBuild extends CarriedBuild {
  bundle: string;
  /** Bytes of its distinct files. */
  bytes: number;
  /** Whether all its files are here. */
  complete: boolean;
  /** Whether its bundle says that its lock was resolved again from the bundle alone. */
  proven: boolean;
}

/**
 * Everything that the mirror serves, immutable: a new import makes a new one. Where two bundles name one path with
 * different bytes (an importer refuses that unless told which wins), the one of higher rank is served: see `byRank`.
 */
export interface Catalog {
  /** The manifests that it was made of and when they were imported, in that order. */
  readonly generation: string;
  readonly bundles: readonly CatalogBundle[];
  readonly builds: readonly CatalogBuild[];
  /** By engine id, the last imported. */
  readonly recipes: ReadonlyMap<string, Recipe>;
  readonly missing: readonly (MissingBuild & { bundle: string })[];
  /** By repository key, in the order of their names. */
  readonly repos: ReadonlyMap<string, CatalogRepo>;
  /** Served paths. */
  readonly files: number;
  /** Distinct contents that are here, and their bytes. */
  readonly blobs: number;
  readonly bytes: number;
  /** A decoded path without leading slash. */
  lookup(path: string): ServedBlob | undefined;
  /** The file behind a path that is listed but whose bytes have not been imported, and the bundle that lists it. */
  awaited(path: string): { file: CarriedFile; bundle: string } | undefined;
  repo(repo: string): CatalogRepo | undefined;
  /** Served paths whose last part is `name`. */
  named(name: string): readonly string[];
  /** Every content that is here, sorted by digest. */
  contents(): { digest: Digest; size: number }[];
  /** undefined where no bundle has anything to do with Python. */
  readonly python: PythonCatalog | undefined;
}

interface Holding {
  pathOf: (digest: Digest) => string;
  present: ReadonlySet<Digest>;
}

/** GitHub serves every asset as this, whatever its content type; so no browser ever runs one. */
const FILE_TYPE = "application/octet-stream";

export function buildCatalog(loaded: readonly LoadedBundle[], { pathOf, present }: Holding): Catalog {
  const ordered = [...loaded].sort((a, b) => byImport(rank(a), rank(b)));
  const recipes = new Map(
    ordered.flatMap(({ document }) => document.recipes.map(({ engine, recipe }) => [engine, recipe])),
  );
  const aliases = aliasesOf([...recipes.values()]);
  const ranked = [...loaded].sort((a, b) => byRank(rank(a), rank(b)));
  const { files, awaited } = collectFiles(ranked, aliases, present);
  const here = new Map([...files.values()].map(({ digest, size }) => [digest, size]));
  const repos = mergeReleases(
    ordered.map(({ document }) => document),
    aliases,
    (key) => files.get(key)?.digest,
  );
  let names: Map<string, string[]> | undefined;
  return {
    generation: ordered.map(({ manifest, importedAt = "" }) => `${manifest.digest} ${importedAt}`).join("\n"),
    bundles: ordered.map((bundle) => describeBundle(bundle, present)),
    builds: collectBuilds(ordered, (path) => files.get(pathKey(path, aliases))),
    recipes,
    missing: ordered.flatMap(({ document }) =>
      document.missing.map((missing) => ({ ...missing, bundle: document.name })),
    ),
    repos: new Map([...repos].sort(([a], [b]) => (a < b ? -1 : 1))),
    files: files.size,
    blobs: here.size,
    bytes: [...here.values()].reduce((sum, size) => sum + size, 0),
    lookup: (path) => {
      const file = files.get(pathKey(path, aliases));
      return file === undefined ? undefined : served(file, pathOf);
    },
    awaited: (path) => awaited.get(pathKey(path, aliases)),
    repo: (repo) => repos.get(repoKey(repo, aliases)),
    named: (name) => {
      names ??= byLastPart(files.values());
      return names.get(name) ?? [];
    },
    python: mergePython(
      ranked.map(({ document }) => document),
      (path) => files.get(pathKey(path, aliases)),
    ),
    contents: () =>
      [...here].map(([digest, size]) => ({ digest, size })).sort((a, b) => (a.digest < b.digest ? -1 : 1)),
  };
}

function rank({ importedAt, yields, document }: LoadedBundle): Ranked {
  return { importedAt, yields, name: document.name, counter: document.counter };
}

function collectFiles(
  bundles: readonly LoadedBundle[],
  aliases: Aliases,
  present: ReadonlySet<Digest>,
): { files: Map<string, CarriedFile>; awaited: Map<string, { file: CarriedFile; bundle: string }> } {
  const files = new Map<string, CarriedFile>();
  const awaited = new Map<string, { file: CarriedFile; bundle: string }>();
  for (const { document } of bundles) {
    for (const file of document.files) {
      const key = pathKey(file.path, aliases);
      if (present.has(file.digest)) files.set(key, file);
      else awaited.set(key, { file, bundle: document.name });
    }
  }
  return { files, awaited };
}

function describeBundle(bundle: LoadedBundle, present: ReadonlySet<Digest>): CatalogBundle {
  const sizes = new Map(bundle.document.files.map(({ digest, size }) => [digest, size]));
  return {
    ...bundle,
    blobs: sizes.size,
    bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0),
    absent: bundle.document.files.filter(({ digest }) => !present.has(digest)).map(({ path }) => path),
  };
}

function collectBuilds(
  bundles: readonly LoadedBundle[],
  fileOf: (path: string) => CarriedFile | undefined,
): CatalogBuild[] {
  const builds = new Map<string, CatalogBuild>();
  for (const { document } of bundles) {
    for (const build of document.builds) {
      const found = build.files.map(fileOf);
      const sizes = new Map(found.map((file) => [file?.digest, file?.size ?? 0]));
      const name = [build.engine, build.version, build.arch, build.variant].join(" ");
      builds.set(name, {
        ...build,
        bundle: document.name,
        bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0),
        complete: !found.includes(undefined),
        proven: document.python?.closure === "proven",
      });
    }
  }
  return [...builds.values()];
}

function byLastPart(files: Iterable<CarriedFile>): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const { path } of files) {
    const name = lastPart(path);
    const known = names.get(name);
    if (known === undefined) names.set(name, [path]);
    else known.push(path);
  }
  return names;
}

function served(file: CarriedFile, pathOf: (digest: Digest) => string): ServedBlob {
  const modified = new Date(file.updatedAt);
  return {
    digest: file.digest,
    size: file.size,
    file: pathOf(file.digest),
    name: lastPart(file.path),
    contentType: FILE_TYPE,
    modified: Number.isNaN(modified.getTime()) ? new Date(0) : modified,
  };
}
