import { FerryError } from "../errors.ts";
import type { Recipe } from "./schema.ts";
import { patternWithHole, render } from "./template.ts";
import { compareVersions } from "./version.ts";

/** What a published tag is where it is no build (`v0.5.0` of llama.cpp), in words; undefined for any other text. */
export function describeNonBuild(recipe: Recipe, tag: string): string | undefined {
  return recipe.versions.notBuilds?.find((entry) => new RegExp(entry.tags, "u").test(tag))?.what;
}

/**
 * Refuses what is no version of the engine, before it reaches a file name or a URL.
 * Throws UPSTREAM_NOT_A_BUILD for a tag that is published but no build, VERSION_INVALID otherwise.
 */
export function requireVersion(recipe: Recipe, version: string): void {
  const { versions, label } = recipe;
  const example = `ask for one such as ${versions.example}`;
  const instead = describeNonBuild(recipe, version);
  if (instead !== undefined) {
    throw new FerryError("UPSTREAM_NOT_A_BUILD", `${label} ${version} is no build: ${instead}`, {
      hint: `Instead, ${example}, or for "latest" in a spec.`,
      details: { version },
    });
  }
  if (new RegExp(versions.pattern, "u").test(version)) return;
  const hint =
    version === "latest"
      ? `"latest" is resolved when a spec is planned; here, ${example}.`
      : `Instead, ${example}.`;
  throw new FerryError("VERSION_INVALID", `${JSON.stringify(version)} is not a version of ${label}`, {
    hint,
    details: { version, pattern: versions.pattern },
  });
}

/** The version without a leading v, as wheels and indexes spell it. */
export function numberOf(version: string): string {
  return version.replace(/^v(?=\d)/, "");
}

/** The GitHub tag of a version: v0.30.0 for vLLM's 0.30.0. */
export function tagOf(recipe: Recipe, version: string): string {
  return render(recipe.versions.tag, { version, number: numberOf(version) });
}

/** The version that a tag belongs to, or undefined where it is none of the engine's. */
export function versionOfTag(recipe: Recipe, tag: string): string | undefined {
  const name = recipe.versions.tag.includes("{number}") ? "number" : "version";
  const version = patternWithHole(recipe.versions.tag, {}, { name, source: ".+" }).exec(tag)?.groups?.[
    "hole"
  ];
  if (version === undefined || !new RegExp(recipe.versions.pattern, "u").test(version)) return undefined;
  return describeNonBuild(recipe, version) === undefined ? version : undefined;
}

/**
 * The releases that "latest" may mean, newest first by the recipe's ordering: the first of them that is complete is the
 * answer. What GitHub itself calls latest plays no part: for llama.cpp that is a pointer without any build.
 */
export function latestVersions(
  recipe: Recipe,
  releases: readonly { tag: string; prerelease: boolean }[],
): { tag: string; version: string }[] {
  const { latest, ordering } = recipe.versions;
  if (latest === undefined) return [];
  const counts = new RegExp(latest.tags, "u");
  return releases
    .filter(({ tag, prerelease }) => counts.test(tag) && (latest.prereleases || !prerelease))
    .flatMap(({ tag }) => {
      const version = versionOfTag(recipe, tag);
      return version === undefined ? [] : [{ tag, version }];
    })
    .sort((a, b) => compareVersions(b.version, a.version, ordering));
}
