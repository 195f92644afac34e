import { FerryError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../log.ts";
import type { Door } from "../net/door-types.ts";
import { fetchJson, fetchPages } from "../net/json.ts";
import type { ResponseCache } from "../net/response-cache.ts";
import { fetchText } from "../net/text.ts";
import { encodePath, GithubRelease, GithubReleaseList, releaseAssetPath } from "../wire/github.ts";
import type { Releases } from "./releases.ts";

export interface GithubClientOptions {
  door: Door;
  /** Base of the REST API, without a trailing slash. */
  apiUrl: string;
  /** Base of download URLs, without a trailing slash. */
  githubUrl: string;
  cache: ResponseCache | undefined;
  clock: Clock;
  logger: Logger;
  random: () => number;
  signal: AbortSignal;
}

/** Small pages: GitHub times out on long lists of releases with many assets each. */
const PER_PAGE = 20;
const HEADERS = { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" };
const CHECKSUM_FILE_LIMIT = 1024 * 1024;

/** Releases as GitHub's REST API (or GitHub Enterprise's) tells them. Drafts are left out: downloads of them need a login. */
export function githubReleases(options: GithubClientOptions): Releases {
  const { door, apiUrl, githubUrl, ...rest } = options;
  const asking = { ...rest, headers: HEADERS };
  return {
    async byTag(repo, tag) {
      const url = `${apiUrl}/repos/${repo}/releases/tags/${encodePath(tag)}`;
      const { value } = await fetchJson(door, url, { ...asking, schema: GithubRelease });
      if (value !== undefined && !value.draft) return requireTag(value, repo, tag);
      throw new FerryError("UPSTREAM_NO_RELEASE", `${repo} has no release ${tag}`, {
        hint: `Check the spelling at ${githubUrl}/${repo}/releases; a private repository needs GITHUB_TOKEN.`,
        details: { repo, tag, url },
      });
    },
    async *list(repo) {
      const url = `${apiUrl}/repos/${repo}/releases?per_page=${PER_PAGE}`;
      for await (const page of fetchPages(door, url, { ...asking, schema: GithubReleaseList })) {
        if (page.value === undefined) {
          throw new FerryError("UPSTREAM_NO_RELEASE", `there is no repository ${repo} at ${apiUrl}`, {
            hint: "Check the name; a private repository needs GITHUB_TOKEN.",
          });
        }
        for (const release of page.value) if (!release.draft) yield release;
      }
    },
    async text(repo, tag, name) {
      const url = `${githubUrl}/${encodePath(releaseAssetPath(repo, tag, name))}`;
      const { text } = await fetchText(door, url, { ...rest, maxBytes: CHECKSUM_FILE_LIMIT });
      if (text !== undefined) return text;
      throw new FerryError(
        "UPSTREAM_MISSING_ASSETS",
        `${repo} ${tag} lists ${name}, and its download answers 404`,
        { hint: `Look at ${url}; a private repository needs GITHUB_TOKEN.` },
      );
    },
  };
}

/** Refuses an answer about another release than was asked for, and one that names an asset twice. */
function requireTag(release: GithubRelease, repo: string, tag: string): GithubRelease {
  const names = release.assets.map((asset) => asset.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (release.tag_name === tag && twice === undefined) return release;
  const what =
    twice === undefined
      ? `is about ${JSON.stringify(release.tag_name)}`
      : `lists ${JSON.stringify(twice)} twice`;
  throw new FerryError("UPSTREAM_MALFORMED", `the answer about release ${tag} of ${repo} ${what}`, {
    hint: "A proxy or a faulty mirror may answer in place of GitHub: look at the release with curl.",
    details: { repo, tag, answered: release.tag_name },
  });
}
