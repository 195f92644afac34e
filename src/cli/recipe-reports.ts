import { z } from "zod";
import { Build, Needs } from "../recipe/build.ts";
import { Recipe } from "../recipe/schema.ts";

const Origin = { engine: z.string(), origin: z.string(), overlay: z.boolean() };

/** `ferry recipe list --json`. */
export const RecipeListReport = z.strictObject({
  engines: z.array(
    z.strictObject({
      ...Origin,
      label: z.string(),
      tool: z.boolean(),
      github: z.string().nullable(),
      pypi: z.string().nullable(),
      arch: z.array(z.string()),
      /** As the recipe writes them; `cuda-13.*` is a family. */
      variants: z.array(z.string()),
    }),
  ),
});
export type RecipeListReport = z.infer<typeof RecipeListReport>;

/** `ferry recipe show ENGINE --json`. */
export const RecipeShowReport = z.strictObject({ ...Origin, recipe: Recipe });
export type RecipeShowReport = z.infer<typeof RecipeShowReport>;

const Offer = z.strictObject({
  build: Build,
  needs: Needs,
  family: z.string(),
  /** The release that the build's assets are in. */
  release: z.strictObject({ repo: z.string(), tag: z.string() }).nullable(),
});

/** `ferry recipe candidates … --json` and `ferry recipe builds … --json`. */
export const RecipeBuildsReport = z.strictObject({
  engine: z.string(),
  version: z.string(),
  arch: z.string(),
  /** Best first. */
  builds: z.array(Offer),
  /** Of `builds` alone: another version that older cards get instead; carried only where a spec lists it. */
  fallbacks: z.array(Offer),
});
export type RecipeBuildsReport = z.infer<typeof RecipeBuildsReport>;

/** `ferry recipe check --json`. */
export const RecipeCheckReport = z.strictObject({
  /** All cases that were asked. */
  cases: z.int().positive(),
  engines: z.array(
    z.strictObject({ engine: z.string(), cases: z.int().positive(), failures: z.array(z.string()) }),
  ),
});
export type RecipeCheckReport = z.infer<typeof RecipeCheckReport>;
