import { encodePath } from "../../src/wire/github.ts";

/** Percent-encoded path, without leading slash, of a repository's list of releases. */
export function releasesPath(repo: string): string {
  return encodePath(`${repo}/releases`);
}

/** Percent-encoded path, without leading slash, of a release's page: where GitHub has it. */
export function releasePath(repo: string, tag: string): string {
  return encodePath(`${repo}/releases/tag/${tag}`);
}
