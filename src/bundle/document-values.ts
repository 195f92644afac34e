import { z } from "zod";
import type { Digest } from "../lib/digest.ts";

/** A regular expression and no refinement, so that the JSON Schema has the pattern; the type says what it guarantees. */
export const Sha256 = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, "must be sha256: and 64 hex digits") as unknown as z.ZodType<
  Digest,
  string
>;

/**
 * A path that the mirror will serve: relative, decoded, no empty, `.` or `..` segment, no backslash, no control character.
 * Anything else is refused when a document is read, so that no path of a bundle can leave a folder.
 */
export const MirrorPath = z
  .string()
  .min(1)
  .max(1024)
  // eslint-disable-next-line no-control-regex
  .refine((path) => !/[\\\u0000-\u001f\u007f]/.test(path), "must not hold a backslash or control character")
  .refine(
    (path) => path.split("/").every((part) => part !== "" && part !== "." && part !== ".."),
    "must be a relative path without empty, . or .. parts",
  );

export const Arch = z.enum(["amd64", "arm64"]);
export type Arch = z.infer<typeof Arch>;
