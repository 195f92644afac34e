import { z } from "zod";
import { Sha256 } from "../bundle/document-values.ts";

/** `ferry gc --json`. Sizes are bytes. */
export const GcReport = z.strictObject({
  store: z.string(),
  /** True: nothing was deleted. */
  dryRun: z.boolean(),
  /** Nothing younger than this went, hours. */
  graceHours: z.int(),
  /** Blobs that nothing names. */
  blobs: z.array(z.strictObject({ digest: Sha256, size: z.int() })),
  /** Unfinished writes and downloads that nobody went on with. */
  unfinished: z.array(z.strictObject({ path: z.string(), size: z.int() })),
  /** Of both together. */
  bytes: z.int(),
  /** Blobs that stay: named by a bundle, too young, needed by an unfinished import. */
  kept: z.strictObject({ named: z.int(), young: z.int(), importing: z.int() }),
  /** Imports that are running or were never finished. */
  imports: z.array(z.string()),
});
export type GcReport = z.infer<typeof GcReport>;
