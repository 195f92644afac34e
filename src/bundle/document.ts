import { z } from "zod";
import { Build, Needs } from "../recipe/build.ts";
import { Recipe } from "../recipe/schema.ts";
import { PythonBuild, PythonPart } from "./document-python.ts";
import { Arch, MirrorPath, Sha256 } from "./document-values.ts";

/**
 * The document: what a bundle says about itself (design §4). It is the config blob of the bundle's manifest, written as
 * canonical JSON, so its digest is fixed by its content. The mirror, `inspect`, `diff` and `sbom` read nothing else.
 */
export const DOCUMENT_FORMAT = 1;
export const DOCUMENT_MEDIA_TYPE = "application/vnd.engine-ferry.document.v1+json";
export const BUNDLE_ARTIFACT_TYPE = "application/vnd.engine-ferry.bundle.v1";

/** Why a digest is believed; `src/upstream/artifact.ts` says what each word means, `TRUST_WORDS` says it to people. */
export const TrustSource = z.enum([
  "recipe",
  "github",
  "checksum-file",
  "spec",
  "index",
  "computed",
  "extracted",
  "made",
]);

/** "The digest is …" */
export const TRUST_WORDS: Readonly<Record<z.infer<typeof TrustSource>, string>> = {
  recipe: "pinned in a recipe",
  github: "published by GitHub",
  "checksum-file": "from a checksum file of the release",
  spec: "stated in the spec",
  index: "published by the Python index",
  computed: "computed by the builder, NOT published by anybody",
  extracted: "of a part of a carried wheel",
  made: "of a lock that the builder wrote",
};

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
  /** Of an engine that runs in Python; its wheels are among `files`. */
  python: PythonBuild.optional(),
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
  /** Locks' and index pages' data; absent where no engine runs in Python. */
  python: PythonPart.optional(),
  /** Gaps that the operator allowed with --allow-missing; empty otherwise. */
  missing: z.array(MissingBuild),
});
export type BundleDocument = z.infer<typeof BundleDocument>;
