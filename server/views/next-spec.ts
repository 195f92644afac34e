import { stringify } from "yaml";
import { versionOfTag } from "../../src/recipe/versions-of.ts";
import type { Asked } from "../asked-ring.ts";
import type { Catalog } from "../catalog.ts";

interface Wanted {
  repo: string;
  tag: string;
  asset: string | undefined;
}

const REPO = "([A-Za-z0-9-]{1,39}/[A-Za-z0-9._-]{1,100})";
const ASSET = new RegExp(`^${REPO}/releases/download/(.+)/([^/]+)$`);
const RELEASE = new RegExp(`^(?:api/v3/)?(?:repos/)?${REPO}/releases/tags?/(.+)$`);
const INSTALL = /^v1\/install\/([^/]+)\/([^/]+)$/;

/**
 * Lines for the spec of the next bundle that would bring what was asked for; undefined where none of it is something
 * that a spec can name. A version of an engine is asked for as such, anything else by the names of its files.
 */
export function nextSpec(asked: readonly Asked[], catalog: Catalog): string | undefined {
  const engines = new Map<string, Set<string>>();
  const assets = new Map<string, { repo: string; tag: string; include: string[] }>();
  const addEngine = (engine: string, version: string): void => {
    engines.set(engine, (engines.get(engine) ?? new Set()).add(version));
  };
  for (const { path } of asked) {
    const [, engine = "", version = ""] = INSTALL.exec(path) ?? [];
    if (catalog.recipes.has(engine)) addEngine(engine, version);
    const wanted = parseWanted(path);
    if (wanted === undefined) continue;
    const build = engineOf(wanted, catalog);
    if (build !== undefined) addEngine(build.engine, build.version);
    else addAsset(assets, wanted, catalog);
  }
  const lines = {
    ...(engines.size === 0
      ? {}
      : { engines: [...engines].map(([engine, versions]) => ({ engine, versions: [...versions].sort() })) }),
    ...(assets.size === 0 ? {} : { assets: [...assets.values()] }),
  };
  return Object.keys(lines).length === 0 ? undefined : stringify(lines).trimEnd();
}

function parseWanted(path: string): Wanted | undefined {
  const local = path.replace(/^github\/(?=[^/]+\/releases\/download\/)/, "astral-sh/");
  const [, repo, tag, asset] = ASSET.exec(local) ?? RELEASE.exec(local) ?? [];
  return repo === undefined || tag === undefined ? undefined : { repo, tag, asset };
}

/** The engine whose release it is, where no bundle carries that version yet: then all of it is wanted. */
function engineOf(wanted: Wanted, catalog: Catalog): { engine: string; version: string } | undefined {
  const repo = nameOf(wanted.repo, catalog).toLowerCase();
  for (const [engine, recipe] of catalog.recipes) {
    if (recipe.github?.toLowerCase() !== repo) continue;
    const version = versionOfTag(recipe, wanted.tag);
    const carried = catalog.builds.some((build) => build.engine === engine && build.version === version);
    if (version !== undefined && !carried) return { engine, version };
  }
  return undefined;
}

function addAsset(
  assets: Map<string, { repo: string; tag: string; include: string[] }>,
  { repo, tag, asset = "*" }: Wanted,
  catalog: Catalog,
): void {
  const name = nameOf(repo, catalog);
  const key = `${name} ${tag}`;
  const entry = assets.get(key) ?? { repo: name, tag, include: [] };
  assets.set(key, entry);
  if (!entry.include.includes(asset)) entry.include.push(asset);
}

function nameOf(repo: string, catalog: Catalog): string {
  return catalog.repo(repo)?.repo ?? repo;
}
