import { releaseAssetPath } from "../src/wire/github.ts";
import type { ServedBlob } from "./blob-sender.ts";
import type { Catalog } from "./catalog.ts";
import { latestRelease } from "./catalog-releases.ts";

/** What a path leads to. `fixed`: the path will never mean other bytes (a tag's asset does not, `latest` does). */
export interface ResolvedFile {
  blob: ServedBlob;
  fixed: boolean;
}

const LATEST = /^([^/]+\/[^/]+)\/releases\/latest\/download\/(.+)$/;

/** The file that a decoded path leads to, by any of the names that clients have for it. */
export function resolveFile(catalog: Catalog, path: string): ResolvedFile | undefined {
  const direct = catalog.lookup(path);
  if (direct !== undefined) return { blob: direct, fixed: true };
  const astral = astralPath(path);
  if (astral !== undefined) return resolveFile(catalog, astral);
  // Some clients encode a path twice, or a name that curl -O had saved with its %2B.
  if (/%2b/i.test(path)) return resolveFile(catalog, path.replace(/%2b/gi, "+"));
  const [, name = "", asset = ""] = LATEST.exec(path) ?? [];
  const repo = catalog.repo(name);
  const latest = repo === undefined ? undefined : latestRelease(repo);
  if (repo === undefined || latest === undefined) return undefined;
  const blob = catalog.lookup(releaseAssetPath(repo.repo, latest.tag, asset));
  return blob === undefined ? undefined : { blob, fixed: false };
}

/**
 * `github/PROJECT/releases/…` is how `UV_ASTRAL_MIRROR_URL` and releases.astral.sh name a project of astral-sh; a
 * repository of GitHub's own organisation, were it carried, was found before.
 */
export function astralPath(path: string): string | undefined {
  return /^github\/[^/]+\/releases\//.test(path) ? path.replace("github/", "astral-sh/") : undefined;
}
