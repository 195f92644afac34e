import type { Digest } from "../../lib/digest.ts";
import { hexOf } from "../../lib/digest.ts";
import type { ResolvedFile } from "../../upstream/python/types.ts";

/**
 * Where the mirror serves a wheel, decoded. PyTorch's keep their folder; those of the Python index keep the path below
 * `/packages/`, so that locks from anywhere come to this mirror by another prefix; a release's wheel keeps the release's
 * path; all others are named by their digest, else by their name alone.
 */
export function wheelPath(file: Pick<ResolvedFile, "url" | "filename" | "digest" | "index">): string {
  if (file.index.kind === "extra") return `whl/${file.index.name}/${file.filename}`;
  const path = decoded(new URL(file.url).pathname);
  const released = /(?:^|\/)([^/]+\/[^/]+\/releases\/download\/.+)$/.exec(path)?.[1];
  if (file.index.kind === "none" && released !== undefined) return released;
  const below = /\/(packages\/(?:[^/]+\/)+[^/]+)$/.exec(path)?.[1];
  if (below?.endsWith(`/${file.filename}`) === true) return below;
  return file.digest === undefined
    ? `packages/by-name/${file.filename}`
    : byDigest(file.digest, file.filename);
}

/** Mirror path of a build's lock. */
export function lockPath(build: { engine: string; version: string; arch: string; variant: string }): string {
  return `locks/${build.engine}/${build.version}/${build.arch}/${build.variant}/pylock.toml`;
}

/** Mirror path of a file of an index release that may not be carried: where it would be. */
export function releaseFilePath(file: { filename: string; url: string; digest: Digest | undefined }): string {
  return wheelPath({ ...file, index: { kind: "default" } });
}

function byDigest(digest: Digest, filename: string): string {
  const hex = hexOf(digest);
  return `packages/${hex.slice(0, 2)}/${hex.slice(2, 4)}/${hex.slice(4)}/${filename}`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
