import type { z } from "zod";
import { BundleDocument } from "../src/bundle/document.ts";
import { Recipe } from "../src/recipe/schema.ts";

/**
 * Every JSON Schema that we publish under `bundles/schema/`, for editors and for programs that read our answers.
 * A new document needs one line here and `npm run schemas`.
 */
export interface PublishedSchema {
  /** Name under `bundles/schema/`. */
  file: string;
  title: string;
  /** `written`: by people, so defaults may be left out. `printed`: by us, so everything is there. */
  kind: "written" | "printed";
  schema: z.ZodType;
}

export const SCHEMAS: readonly PublishedSchema[] = [
  { file: "recipe.schema.json", title: "A recipe of engine-ferry", kind: "written", schema: Recipe },
  {
    file: "document.schema.json",
    title: "The document of a bundle",
    kind: "printed",
    schema: BundleDocument,
  },
];
