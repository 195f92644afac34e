import { z } from "zod";
import { MirrorPath, Sha256 } from "../../src/bundle/document-values.ts";
import { Needs } from "../../src/recipe/build.ts";
import { isArgument, isLibrary, isPath, isQuotable, isWord } from "./safe-words.ts";

const Word = z.string().refine(isWord, "must be a plain word");
const Path = z.string().refine(isPath, "must be a plain relative path");

/** Archives that a node unpacks with tar alone. */
export const ARCHIVE_KINDS = ["tar.gz", "tar.xz", "tar"] as const;

/** One file to install. It is an archive with one folder at its top, whose content goes into the installation. */
const PlanFile = z.strictObject({
  /** On the mirror, decoded. */
  path: MirrorPath.refine(isPath, "must be a plain relative path"),
  digest: Sha256,
  /** Bytes. */
  size: z.int().nonnegative(),
  archive: z.enum(ARCHIVE_KINDS),
  /** Leading folders of its names that are taken off. */
  strip: z.literal(1),
});
export type PlanFile = z.infer<typeof PlanFile>;

/** What the files of a Python engine are for; wheels are the lock's, which uv reads. */
export const PYTHON_ROLES = ["uv", "interpreter", "lock", "source", "asset"] as const;

const PythonFile = PlanFile.omit({ archive: true, strip: true }).extend({ role: z.enum(PYTHON_ROLES) });
export type PythonFile = z.infer<typeof PythonFile>;

/** What a Python engine's environment is, besides its files. */
const PythonInstall = z.strictObject({
  /** `3.12` */
  version: z.string().regex(/^3\.\d{1,2}$/),
  /** Newest glibc that any of its packages needs: `2.31`. */
  glibc: z.string().regex(/^2\.\d{1,3}$/),
  packages: z.int().positive(),
  /** Bytes of wheels that uv downloads. */
  wheelBytes: z.int().nonnegative(),
  /** Folder of the environment that the source archive's one folder becomes, and that folder's name. */
  source: z.strictObject({ dir: Path, top: Word }).optional(),
  /** Whether a computation with torch on each card proves it. */
  gpuCheck: z.boolean(),
});

/** A build that may run on the node and that is here, whole. */
const CandidateShape = z.strictObject({
  variant: Word,
  /** Differs from the version that was asked for where a recipe replaces it. */
  version: Word,
  /** The bundle whose signed document lists this build. */
  bundle: z.strictObject({ name: Word, counter: z.int().positive(), manifest: Sha256 }),
  /** Unpacked over each other in this order, into one folder. */
  files: z.array(z.union([PlanFile, PythonFile])).min(1),
  /** Bytes that are downloaded: of `files`, and of wheels. */
  bytes: z.int().nonnegative(),
  /** Of an engine that runs in Python: then every file has a role, and no other has one. */
  python: PythonInstall.optional(),
  /** Folder of the installation that archives (of a Python engine: assets) are unpacked into; absent: the installation itself. */
  dir: Path.optional(),
  /** Below that folder; of a Python engine: below `bin`. */
  binary: Path,
  versionArgs: z.array(z.string()).min(1),
  /** Library that must load for the GPU to be used. */
  gpuBackend: z.string().refine(isLibrary, "must be a library's file name").optional(),
  /** How devices of that backend are called in the answer to `--list-devices`: `cuda`. */
  devices: z
    .string()
    .regex(/^[a-z0-9]+$/)
    .optional(),
  cpuFlags: z.array(Word),
  packages: z.strictObject({ deb: z.array(Word), rpm: z.array(Word) }),
  needs: Needs,
  /** Free space that the installation needs, in bytes, where the recipe says so. */
  freeBytes: z.int().positive().optional(),
  note: z.string().optional(),
});

export const Candidate = CandidateShape.superRefine(({ python, versionArgs, files }, context) => {
  const isSafe = python === undefined ? isArgument : isQuotable;
  for (const [at, argument] of versionArgs.entries()) {
    if (isSafe(argument)) continue;
    context.addIssue({ code: "custom", path: ["versionArgs", at], message: "must be a plain argument" });
  }
  if (files.some((file) => "role" in file !== (python !== undefined))) {
    context.addIssue({ code: "custom", path: ["files"], message: "are of another kind of engine" });
  }
});
export type Candidate = z.infer<typeof Candidate>;

/** Why nothing is to be installed, and with which code the node's script ends. */
export const REFUSALS = {
  /** The mirror lacks the engine, the version, or every build of it that would run on the node. */
  "not-carried": 3,
  /** No build of the version is for such a machine. */
  "does-not-fit": 8,
  /** The engine is for machines with an NVIDIA card, and this is none: no fault. */
  "not-here": 9,
} as const;
export type RefusalKind = keyof typeof REFUSALS;

export const Refusal = z.strictObject({
  kind: z.enum(Object.keys(REFUSALS) as [RefusalKind, ...RefusalKind[]]),
  exitCode: z.int(),
  message: z.string(),
  /** What to do about it. */
  hint: z.string().optional(),
  /** What is here instead, a line each: `llamacpp b11347 (amd64: cpu, cuda-13.4)`. */
  carried: z.array(z.string()),
  /** Lines for the spec of the next bundle that would bring it. */
  spec: z.string().optional(),
});
export type Refusal = z.infer<typeof Refusal>;

/** The answer of `/v1/install/{engine}/{version}` as JSON. Either candidates, best first, or a refusal. */
export const InstallPlan = z.strictObject({
  formatVersion: z.literal(1),
  engine: z.string(),
  version: z.string(),
  /** As asked; empty: any. */
  variant: z.string(),
  /** The engine's name for people. */
  label: z.string(),
  host: z.strictObject({
    arch: z.string(),
    nvidiaDriver: z.string(),
    minComputeCapability: z.number(),
    glibc: z.string(),
  }),
  candidates: z.array(Candidate),
  /** Builds that would fit the machine and are no candidates, and why. */
  left: z.array(z.strictObject({ variant: z.string(), reason: z.string() })),
  refusal: Refusal.optional(),
});
export type InstallPlan = z.infer<typeof InstallPlan>;
