import { z } from "zod";

/**
 * The fields of GitHub's release API that we need, and no others: upstream may add what it likes.
 * Source: the REST schemas `release` and `release-asset`. `digest` is absent in old answers and null for assets uploaded
 * before June 2025.
 */
export const GithubAsset = z.object({
  id: z.int(),
  node_id: z.string().default(""),
  name: z.string().min(1),
  label: z
    .string()
    .nullish()
    .transform((label) => label ?? null),
  /** Only `uploaded` assets are whole; `starter` and `open` are being uploaded or were given up. */
  state: z.string(),
  content_type: z.string().default("application/octet-stream"),
  size: z.int().nonnegative(),
  digest: z
    .string()
    .nullish()
    .transform((digest) => digest ?? null),
  url: z.string(),
  browser_download_url: z.string(),
  created_at: z.string().default(""),
  updated_at: z.string().default(""),
});
export type GithubAsset = z.infer<typeof GithubAsset>;

export const GithubRelease = z.object({
  id: z.int(),
  node_id: z.string().default(""),
  tag_name: z.string().min(1),
  target_commitish: z.string().default(""),
  name: z
    .string()
    .nullish()
    .transform((name) => name ?? null),
  draft: z.boolean().default(false),
  prerelease: z.boolean().default(false),
  immutable: z.boolean().default(false),
  created_at: z.string().default(""),
  published_at: z
    .string()
    .nullish()
    .transform((at) => at ?? null),
  assets: z.array(GithubAsset),
});
export type GithubRelease = z.infer<typeof GithubRelease>;

export const GithubReleaseList = z.array(GithubRelease);

/** `/o/r/releases/download/tag/name` without the leading slash, with names as they are (no percent-encoding). */
export function releaseAssetPath(repo: string, tag: string, name: string): string {
  return `${repo}/releases/download/${tag}/${name}`;
}

/** What encodeURIComponent leaves as it is, and the separator. */
const PLAIN = /^[\w.~!'()*/-]*$/;

/**
 * A path with every segment percent-encoded for a request: `+` becomes `%2B` (object stores read a bare `+` as a space),
 * `/` stays the separator.
 */
export function encodePath(path: string): string {
  // An index page has thousands of paths, and hardly one of them has anything to encode.
  return PLAIN.test(path) ? path : path.split("/").map(encodeURIComponent).join("/");
}
