import { FerryError } from "../errors.ts";
import type { Logger } from "../log.ts";
import type { Recipe } from "../recipe/schema.ts";
import { latestVersions } from "../recipe/versions-of.ts";
import type { GithubRelease } from "../wire/github.ts";
import { isUploaded } from "./release-asset.ts";
import type { Releases } from "./releases.ts";

/** Releases looked at before giving up: a fortnight of llama.cpp's. */
const FAR_ENOUGH = 200;
/** Newest releases are looked at in groups, because numbers and upload times need not agree among neighbours. */
const GROUP = 20;

/**
 * What "latest" means today: the newest version by the recipe's own ordering whose release has everything that is asked
 * of it. What GitHub calls latest plays no part. `lacking` names what a version's release lacks, given the names of its
 * whole assets; releases that are still being filled are passed over and said so.
 * Throws UPSTREAM_MISSING_ASSETS where none is complete.
 */
export async function newestComplete(
  releases: Releases,
  recipe: Recipe,
  lacking: (version: string, assetNames: readonly string[]) => readonly string[],
  logger: Logger,
): Promise<string> {
  const repo = recipe.github;
  if (repo === undefined || recipe.versions.latest === undefined) {
    throw new FerryError(
      "VERSION_INVALID",
      `"latest" is not defined for ${recipe.label}: its recipe says nothing of it`,
      {
        hint: `Ask for an exact version, such as ${recipe.versions.example}.`,
      },
    );
  }
  const passedOver: string[] = [];
  for await (const group of groupsOf(releases.list(repo))) {
    const byTag = new Map(group.map((release) => [release.tag_name, release]));
    for (const { tag, version } of latestVersions(
      recipe,
      group.map(({ tag_name, prerelease }) => ({ tag: tag_name, prerelease })),
    )) {
      const names = (byTag.get(tag)?.assets ?? []).filter(isUploaded).map((asset) => asset.name);
      const lacks = lacking(version, names);
      if (lacks.length === 0) return version;
      passedOver.push(tag);
      logger.info(
        `${recipe.label} ${version} is not complete (${lacks[0] ?? ""}); looking at the one before`,
      );
    }
  }
  throw new FerryError(
    "UPSTREAM_MISSING_ASSETS",
    `no complete release of ${recipe.label} was found at ${repo}`,
    {
      hint: "Ask for an exact version, or for fewer variants.",
      details: { repo, passedOver },
    },
  );
}

async function* groupsOf(all: AsyncIterable<GithubRelease>): AsyncGenerator<GithubRelease[]> {
  let group: GithubRelease[] = [];
  let seen = 0;
  for await (const release of all) {
    group.push(release);
    seen++;
    if (group.length === GROUP) {
      yield group;
      group = [];
    }
    if (seen === FAR_ENOUGH) return;
  }
  if (group.length > 0) yield group;
}
