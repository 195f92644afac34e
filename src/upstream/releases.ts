import type { GithubRelease } from "../wire/github.ts";

/** Where releases are asked for. The GitHub client is one; tests may hold another. */
export interface Releases {
  /** A published release by its tag. Throws UPSTREAM_NO_RELEASE where there is none. */
  byTag(repo: string, tag: string): Promise<GithubRelease>;
  /** Published releases, newest first as GitHub lists them, page after page, as far as the caller reads. */
  list(repo: string): AsyncIterable<GithubRelease>;
  /** A small text asset of a release (a checksum file), at most 1 MiB. */
  text(repo: string, tag: string, name: string): Promise<string>;
}
