import type { z } from "zod";
import { findFaults } from "./faults.ts";
import { RecipeShape } from "./shape.ts";

/**
 * One engine: which files a build of it is, where they are published and what a machine needs for them (design §3).
 * Strict, and checked for rules that clash or are never reached. Plain JSON: a bundle's document carries it whole.
 */
export const Recipe = RecipeShape.superRefine((recipe, context) => {
  for (const { path, message } of findFaults(recipe)) context.addIssue({ code: "custom", path, message });
});
export type Recipe = z.infer<typeof Recipe>;
