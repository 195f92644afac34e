import { z } from "zod";
import type { Digest } from "../lib/digest.ts";
import { Build, Needs } from "../recipe/build.ts";
import { Recipe } from "../recipe/schema.ts";

/**
 * The document: what a bundle says about itself (design §4). It is the config blob of the bundle's manifest, written as
 * canonical JSON, so its digest is fixed by its content. The mirror, `inspect`, `diff` and `sbom` read nothing else.
 */
export const DOCUMENT_FORMAT = 1;
export const DOCUMENT_MEDIA_TYPE = "application/vnd.engine-ferry.document.v1+json";
export const BUNDLE_ARTIFACT_TYPE = "application/vnd.engine-ferry.bundle.v1";

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

export const TrustSource = z.enum(["recipe", "github", "checksum-file", "spec", "computed"]);

export const CarriedFile = z.strictObject({
  path: MirrorPath,
  digest: Sha256,
  size: z.int().nonnegative(),
  /** Where the builder fetched it. */
  url: z.string().min(1),
  /** Upload time at the origin, ISO 8601. */
  updatedAt: z.string(),
  trust: TrustSource,
});
export type CarriedFile = z.infer<typeof CarriedFile>;

export const CarriedBuild = z.strictObject({
  engine: z.string(),
  /** The version asked for, resolved ("latest" never stands here). */
  version: z.string(),
  arch: Arch,
  variant: z.string(),
  /** The build with every family resolved to this release's names. */
  build: Build,
  needs: Needs,
  /** Mirror paths of the files that an install of this build needs, in the order of the recipe. */
  files: z.array(MirrorPath),
});
export type CarriedBuild = z.infer<typeof CarriedBuild>;

export const MissingBuild = z.strictObject({
  engine: z.string(),
  version: z.string(),
  arch: Arch,
  variant: z.string(),
  /** Names of absent assets, or the family pattern that nothing matches. */
  assets: z.array(z.string()),
  reason: z.string(),
});
export type MissingBuild = z.infer<typeof MissingBuild>;

/** What the mirror's release API answers for a release; only carried assets are listed. */
export const CarriedRelease = z.strictObject({
  repo: z.string(),
  id: z.int(),
  nodeId: z.string(),
  tag: z.string(),
  name: z.string().nullable(),
  targetCommitish: z.string(),
  prerelease: z.boolean(),
  immutable: z.boolean(),
  createdAt: z.string(),
  publishedAt: z.string(),
  assets: z.array(
    z.strictObject({
      id: z.int(),
      nodeId: z.string(),
      name: z.string(),
      label: z.string().nullable(),
      contentType: z.string(),
      size: z.int().nonnegative(),
      digest: Sha256,
      createdAt: z.string(),
      updatedAt: z.string(),
    }),
  ),
});
export type CarriedRelease = z.infer<typeof CarriedRelease>;

export const BundleDocument = z.strictObject({
  formatVersion: z.literal(DOCUMENT_FORMAT),
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/),
  /** Grows with every bundle of this name; a mirror refuses to go back unless told. */
  counter: z.int().positive(),
  /** ISO 8601, UTC, whole seconds: SOURCE_DATE_EPOCH, else the newest upload time among the inputs. */
  created: z.string(),
  /** The spec as read, with defaults filled in and "latest" as written. */
  spec: z.json(),
  /** The recipes used, whole: the mirror evaluates these, so that it cannot disagree with the builder. */
  recipes: z.array(z.strictObject({ engine: z.string(), recipe: Recipe })),
  builds: z.array(CarriedBuild),
  files: z.array(CarriedFile),
  releases: z.array(CarriedRelease),
  /** Gaps that the operator allowed with --allow-missing; empty otherwise. */
  missing: z.array(MissingBuild),
});
export type BundleDocument = z.infer<typeof BundleDocument>;
