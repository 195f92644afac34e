import { FerryError } from "../errors.ts";
import { valuesFor } from "./render-build.ts";
import type { Recipe } from "./schema.ts";
import { render } from "./template.ts";
import { requireVersion, tagOf } from "./versions-of.ts";

/** A version's source archive as the recipe names it, whether its digest is pinned or not. */
export interface RecipeSource {
  /** Path under GitHub's download base, with a leading slash. */
  url: string;
  /** The one folder that it unpacks to. */
  top: string;
  repo: string;
  /** Also the tag of the release whose publication time is pinned with it. */
  tag: string;
}

/** Throws VERSION_INVALID, and UNSUPPORTED where the engine is not installed from a source archive. */
export function sourceOf(recipe: Recipe, version: string): RecipeSource {
  requireVersion(recipe, version);
  const rule = recipe.builds.find((candidate) => (candidate.source ?? recipe.defaults?.source) !== undefined);
  const source = rule?.source ?? recipe.defaults?.source;
  if (rule === undefined || source === undefined || recipe.github === undefined) {
    throw new FerryError(
      "UNSUPPORTED",
      `${recipe.label} is not installed from a source archive: there is nothing to pin`,
      {
        hint: "Digests of release assets come from GitHub when a spec is planned.",
      },
    );
  }
  const [arch = "amd64"] = Object.keys(recipe.arch);
  const values = valuesFor(recipe, { version, arch, gpu: "nvidia", cc: 0 }, rule.variant);
  return {
    url: render(source.url, values),
    top: render(source.top, values),
    repo: recipe.github,
    tag: tagOf(recipe, version),
  };
}
