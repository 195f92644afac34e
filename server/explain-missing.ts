import { near } from "../src/recipe/near.ts";
import type { Catalog } from "./catalog.ts";
import { type CatalogRepo, latestRelease } from "./catalog-releases.ts";
import { list, toCarryIt } from "./missing-words.ts";
import { explainPython } from "./python/explain-python.ts";
import { astralPath } from "./resolve-file.ts";
import { rightBase } from "./right-base.ts";
import { specLines, type Wanted } from "./spec-lines.ts";

/**
 * Why a path leads to nothing here, what is near, and what would bring it, as paragraphs of plain text. `path` is decoded,
 * `base` the mirror's own address. Always an answer of this process: the mirror asks nobody.
 */
export function explainMissing(catalog: Catalog, path: string, base: string): string {
  const paragraphs = [`Not on this mirror: /${path.slice(0, 1024)}`, ...reasons(catalog, path, base)];
  paragraphs.push(
    `What is here: ${base}/v1/bundles. This mirror answers from its own store and never asks the internet.`,
  );
  return `${paragraphs.join("\n\n")}\n`;
}

function reasons(catalog: Catalog, path: string, base: string): string[] {
  const astral = astralPath(path);
  if (astral !== undefined) return reasons(catalog, astral, base);
  const awaited = catalog.awaited(path);
  if (awaited !== undefined) {
    return [
      `Bundle ${awaited.bundle} lists it, but its bytes have not been imported: a volume of that bundle is missing. Import the remaining volumes.`,
    ];
  }
  const python = explainPython(catalog, path, base);
  if (python !== undefined) return python;
  const base404 = rightBase(catalog, path, base);
  if (base404 !== undefined) return [base404];
  const wanted = parseWanted(path);
  if (wanted !== undefined) return explainWanted(catalog, wanted);
  return [];
}

const ASSET = /^([^/]+\/[^/]+)\/releases\/download\/(.+)\/([^/]+)$/;
const LATEST = /^([^/]+\/[^/]+)\/releases\/latest(?:\/download\/(.+))?$/;
const RELEASE = /^([^/]+\/[^/]+)\/releases(?:\/(?:tags|tag)\/(.+))?(?:\/|$)/;
const ARCHIVE = /^([^/]+\/[^/]+)\/archive\/(?:refs\/tags\/)?(.+?)\.(?:tar\.gz|zip)$/;

interface Asked {
  repo: string;
  tag: string | undefined;
  asset: string | undefined;
  latest: boolean;
  archive: boolean;
}

function parseWanted(path: string): Asked | undefined {
  const local = path.replace(/^(?:api\/v3\/)?repos\//, "");
  const none = { asset: undefined, latest: false, archive: false };
  const asset = ASSET.exec(local);
  if (asset !== null && asset[2] !== "latest") {
    return { ...none, repo: asset[1] ?? "", tag: asset[2], asset: asset[3] };
  }
  const latest = LATEST.exec(local);
  if (latest !== null) {
    return { ...none, repo: latest[1] ?? "", tag: undefined, asset: latest[2], latest: true };
  }
  const archive = ARCHIVE.exec(local);
  if (archive !== null) return { ...none, repo: archive[1] ?? "", tag: archive[2], archive: true };
  const release = RELEASE.exec(local);
  return release === null ? undefined : { ...none, repo: release[1] ?? "", tag: release[2] };
}

function explainWanted(catalog: Catalog, asked: Asked): string[] {
  const repo = catalog.repo(asked.repo);
  const bring = bringing(catalog, asked);
  if (repo === undefined) {
    const carried = [...catalog.repos.values()].map((known) => known.repo);
    const alike = asked.asset === undefined ? [] : catalog.named(asked.asset);
    return [
      `No bundle carries ${asked.repo}. Carried repositories: ${list(carried)}.`,
      ...(alike.length === 0 ? [] : [`A file of that name is carried at: ${list(alike)}.`]),
      ...bring,
    ];
  }
  const tags = repo.releases.map(({ tag }) => tag);
  if (asked.latest) return explainLatest(repo, asked.asset, bring);
  const release = asked.tag === undefined ? undefined : repo.byTag.get(asked.tag);
  if (release === undefined) {
    return [
      `No bundle carries release ${asked.tag ?? "(none named)"} of ${repo.repo}. Carried releases, newest first: ${list(tags)}.`,
      ...bring,
    ];
  }
  if (asked.archive) {
    return [
      `No bundle carries the source archive of ${repo.repo} ${release.tag}: it comes with engines that are installed from source.`,
    ];
  }
  const names = release.assets.map(({ name }) => name);
  const alike = near([asked.asset ?? ""], names);
  const gaps = catalog.missing.filter(({ assets }) => assets.includes(asked.asset ?? ""));
  return [
    `No bundle carries ${asked.asset ?? "that asset"} of ${repo.repo} ${release.tag}.` +
      (alike.length === 0 ? "" : ` Near it: ${alike.join(", ")}.`),
    ...gaps.map(({ bundle, reason }) => `Bundle ${bundle} was built without it: ${reason}`),
    `Carried assets of ${release.tag}: ${list(names)}.`,
    ...bring,
  ];
}

function explainLatest(repo: CatalogRepo, asset: string | undefined, bring: string[]): string[] {
  const latest = latestRelease(repo);
  const [newest] = repo.releases;
  if (latest === undefined) {
    return [
      `Every carried release of ${repo.repo} is a prerelease, and GitHub calls none of those the latest. ` +
        `Ask for one by its tag; the newest that is here is ${newest?.tag ?? "(none)"}.`,
    ];
  }
  return [
    `The latest carried release of ${repo.repo} is ${latest.tag}; it has no ${asset ?? "such asset"} here. ` +
      `Its assets: ${list(latest.assets.map(({ name }) => name))}.`,
    ...bring,
  ];
}

function bringing(catalog: Catalog, { repo, tag, asset, archive }: Asked): string[] {
  if (tag === undefined || archive) return [];
  const wanted: Wanted = { repo, tag, ...(asset === undefined ? {} : { asset }) };
  return [toCarryIt(specLines(catalog, wanted))];
}
