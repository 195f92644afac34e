import { FerryError } from "../errors.ts";
import { once } from "../lib/once.ts";
import type { Artifact } from "../upstream/artifact.ts";
import { artifactOf, type Vouchers } from "../upstream/release-asset.ts";
import type { Releases } from "../upstream/releases.ts";
import { type GithubRelease, releaseAssetPath } from "../wire/github.ts";
import { requireServable } from "./servable.ts";

export interface SeenRelease {
  repo: string;
  release: GithubRelease;
}

/** Upstream's releases as one plan sees them: each asked for once, so that all builds speak of the same. */
export interface UpstreamView {
  /** A release is called as the spec or recipe first wrote it: the same name in other letters is the same repository. */
  release(repo: string, tag: string): Promise<SeenRelease>;
  /** An asset as a file to carry. Throws UPSTREAM_MISSING_ASSETS where the release lacks it, and as `artifactOf` does. */
  asset(seen: SeenRelease, name: string, vouchers: Vouchers): Promise<Artifact>;
  /** Every release that was asked for. */
  seen(): SeenRelease[];
}

export function viewUpstream(upstream: Releases, githubUrl: string): UpstreamView {
  const releases = rememberingTexts(upstream);
  const seenReleases = new Map<string, Promise<SeenRelease>>();
  const settled: SeenRelease[] = [];
  const seenArtifacts = new Map<string, Promise<Artifact>>();
  return {
    seen: () => [...settled],
    release: (repo, tag) =>
      once(seenReleases, `${repo.toLowerCase()} ${tag}`, async () => {
        const seen = { repo, release: await releases.byTag(repo, tag) };
        settled.push(seen);
        return seen;
      }),
    asset: ({ repo, release }, name, vouchers) => {
      const asset = release.assets.find((candidate) => candidate.name === name);
      if (asset === undefined) return Promise.reject(absent(repo, release.tag_name, name));
      // What vouches for it belongs to the key: each entry of a spec is held to what it says itself.
      const key = JSON.stringify([repo, release.tag_name, name, vouchers]);
      return once(seenArtifacts, key, () => {
        requireServable(releaseAssetPath(repo, release.tag_name, asset.name));
        return artifactOf(asset, { releases, repo, release, githubUrl, vouchers });
      });
    },
  };
}

function absent(repo: string, tag: string, name: string): FerryError {
  return new FerryError("UPSTREAM_MISSING_ASSETS", `${repo} ${tag} has no asset ${name}`, {
    hint: "Ask for another version, or leave this build out of the spec.",
    details: { repo, tag, asset: name },
  });
}

/** A release's checksum file vouches for many assets; it is fetched once. */
function rememberingTexts(releases: Releases): Releases {
  const texts = new Map<string, Promise<string>>();
  return {
    ...releases,
    text: (repo, tag, name) => once(texts, `${repo} ${tag} ${name}`, () => releases.text(repo, tag, name)),
  };
}
