import { z } from "zod";
import { MirrorPath, Sha256 } from "./document-values.ts";

/** ISO 8601 in UTC, at most milliseconds: what index pages, locks and `--exclude-newer` all read alike. */
export const Instant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/, "must be a time such as 2026-10-08T21:58:07Z")
  .refine((text) => !Number.isNaN(Date.parse(text)), "must be a time that there is");

/** A project's name in its normalised form (PEP 503): `markdown-it-py`. */
export const ProjectName = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "must be a normalised project name, such as markdown-it-py");

/** The last part of an index's address on the mirror, `/whl/NAME/`: `cu129`. */
export const IndexName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,31}$/, "must be an index's name, such as cu129");

/** Where a project's pages list a wheel: `/simple/`, `/whl/NAME/`, or nowhere (a wheel that a URL alone leads to). */
export const WheelIndex = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("default") }),
  z.strictObject({ kind: z.literal("extra"), name: IndexName }),
  z.strictObject({ kind: z.literal("none") }),
]);
export type WheelIndex = z.infer<typeof WheelIndex>;

/** What the mirror's index pages say of one wheel, besides its digest and size, which stand among `files`. */
export const CarriedWheel = z.strictObject({
  /** Mirror path of the wheel; that of its metadata is the same with `.metadata` behind it. */
  path: MirrorPath,
  project: ProjectName,
  /** As the wheel's file name has it, decoded: `2.10.0+cu129`. */
  version: z.string().min(1),
  index: WheelIndex,
  /** Upload time as it is served: never later than what the lock was resolved with. */
  uploadedAt: Instant,
  /** Upload time as the index claims it; absent where it claims none. */
  claimedUploadedAt: Instant.optional(),
  requiresPython: z.string().optional(),
  /** Withdrawn upstream (PEP 592): the reason, or true where none is given. */
  yanked: z.union([z.literal(true), z.string().min(1)]).optional(),
  /** Digest of the metadata file, which is carried too. */
  metadata: Sha256,
});
export type CarriedWheel = z.infer<typeof CarriedWheel>;

/** A release of a project on the index as it was when the bundle was built: what `/pypi/PROJECT/VERSION/json` answers. */
export const Publication = z.strictObject({
  project: ProjectName,
  version: z.string().min(1),
  /** The latest upload of the release: what locks are frozen at, plus a day. */
  published: Instant,
  /** Every file of it, source archives too; those that are not carried answer 404. */
  files: z.array(
    z.strictObject({
      filename: z.string().min(1),
      path: MirrorPath,
      size: z.int().nonnegative().optional(),
      digest: Sha256.optional(),
      uploadedAt: Instant,
    }),
  ),
});
export type Publication = z.infer<typeof Publication>;

/** An interpreter as uv's table of downloads lists it. */
export const CarriedInterpreter = z.strictObject({
  /** `cpython-3.12.15-linux-x86_64-gnu` */
  key: z.string().regex(/^cpython-\d+\.\d+\.\d+[a-z0-9]*-linux-[a-z0-9_]+-gnu$/),
  arch: z.enum(["amd64", "arm64"]),
  /** `3.12.15` */
  version: z.string().regex(/^\d+\.\d+\.\d+[a-z0-9]*$/),
  /** `20261003`: the tag of its release. */
  build: z.string().regex(/^\d{8}(T\d{4})?$/),
  path: MirrorPath,
});
export type CarriedInterpreter = z.infer<typeof CarriedInterpreter>;

const UvVersion = z.string().regex(/^\d+\.\d+\.\d+$/, "must be a version of uv such as 0.12.23");

/** What all Python builds of a bundle share. */
export const PythonPart = z.strictObject({
  /** Version of uv that is carried for the nodes. */
  uv: UvVersion,
  /** Version of uv that resolved the locks, where that is another one (FERRY_UV). */
  resolvedBy: UvVersion.optional(),
  /** Whether every lock was resolved again from the bundle alone, with the same outcome. */
  closure: z.enum(["proven", "skipped"]),
  /** Sorted by path. */
  wheels: z.array(CarriedWheel),
  publications: z.array(Publication),
  interpreters: z.array(CarriedInterpreter),
  /** What engines fetch at their first run and no bundle carries, in words. */
  notCarried: z.array(z.strictObject({ engine: z.string(), what: z.string().min(1) })),
});
export type PythonPart = z.infer<typeof PythonPart>;

/** What a Python build is besides its recipe's words: enough to install it, and to resolve it again. */
export const PythonBuild = z.strictObject({
  /** `3.12` */
  version: z.string().regex(/^3\.\d{1,2}$/),
  /** Mirror path of the lock: pylock.toml (PEP 751) whose files are `path = "<mirror path>"`. */
  lock: MirrorPath,
  /** Mirror path of uv's archive for this architecture. */
  uv: MirrorPath,
  /** Mirror path of the interpreter's archive. */
  interpreter: MirrorPath,
  /** Mirror path of the source archive, where the engine is installed from one. */
  source: MirrorPath.optional(),
  /** Mirror paths of release assets that are unpacked beside the environment. */
  assets: z.array(MirrorPath),
  /** Mirror path of the engine's wheel, where a release has it and no index. */
  wheel: MirrorPath.optional(),
  /** What uv was given as `--python-platform`: `x86_64-manylinux_2_35`. */
  platform: z.string().regex(/^(x86_64|aarch64)-manylinux_2_\d{1,3}$/),
  /** Newest glibc that any package of the lock needs: `2.31`. */
  glibc: z.string().regex(/^2\.\d{1,3}$/),
  published: Instant,
  /** What uv was given as `--exclude-newer`. */
  excludeNewer: Instant,
  /** The requirements that were resolved, a line each; a wheel by URL has its mirror path as address: `vllm @ /O/R/…`. */
  requirements: z.array(z.string().min(1)),
  /** The second index and the packages that come from it and no others. */
  extraIndex: z.strictObject({ name: IndexName, packages: z.array(ProjectName).min(1) }).optional(),
  /** Packages in the lock. */
  packages: z.int().positive(),
  /** Bytes of the wheels that an installation downloads: the best of each package. */
  bytes: z.int().nonnegative(),
});
export type PythonBuild = z.infer<typeof PythonBuild>;

/** Wheels by mirror path. */
export function wheelsByPath(part: PythonPart | undefined): Map<string, CarriedWheel> {
  return new Map((part?.wheels ?? []).map((wheel) => [wheel.path, wheel]));
}

/** Where a wheel's metadata is served, given the wheel's path. */
export function metadataPath(wheelPath: string): string {
  return `${wheelPath}.metadata`;
}
