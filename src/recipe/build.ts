import { z } from "zod";

/**
 * One build of an engine: what is fetched, put where, and how it is seen to run. This is what the table answers, in the
 * reference's own shape (`recipe eval`), and what the document carries for the mirror and the nodes.
 */
export const Build = z.strictObject({
  /** `cpu`, `vulkan`, `cuda-13.4`, `cu129`, … */
  variant: z.string(),
  /** The engine version where it differs from the one asked for (an older engine for older cards). */
  version: z.string().optional(),
  /** Said to the operator when this build is chosen. */
  note: z.string().optional(),
  /** Names of release assets, unpacked over each other into one folder. */
  assets: z.array(z.string()).optional(),
  /** Folder, relative to the installation, that the assets are unpacked into (default: the installation itself). */
  assetDir: z.string().optional(),
  /** Tag of the release that holds the assets, where it is not the version itself. */
  assetTag: z.string().optional(),
  /** System packages that must be there, by package manager. */
  packages: z.strictObject({ deb: z.array(z.string()), rpm: z.array(z.string()) }).optional(),
  binary: z.string(),
  cpuFlags: z.array(z.string()).optional(),
  /** Shared library that must load for the GPU to be used. */
  gpuBackend: z.string().optional(),
  /** Whether an installation is proven by a computation on the GPU. */
  gpuCheck: z.boolean().optional(),
  versionArgs: z.array(z.string()).optional(),
  python: z.string().optional(),
  requirements: z.array(z.string()).optional(),
  /** A wheel of a GitHub release, found by prefix and suffix of its name. */
  wheel: z
    .strictObject({
      project: z.string(),
      repo: z.string(),
      tag: z.string(),
      prefix: z.string(),
      suffix: z.string(),
    })
    .optional(),
  extraIndex: z.string().optional(),
  indexPackages: z.array(z.string()).optional(),
  source: z
    .strictObject({
      url: z.string(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      top: z.string(),
      dir: z.string(),
      requirements: z.string().optional(),
    })
    .optional(),
  /** Publication time that Python resolution is frozen at, ISO 8601. */
  asOf: z.string().optional(),
  /** Free space an installation needs, in GB (10^9 bytes). */
  freeGB: z.number().optional(),
});
export type Build = z.infer<typeof Build>;

/** What a machine must have for a build; refusals say it in words. */
export const Needs = z.strictObject({
  nvidia: z.boolean(),
  /** Lowest NVIDIA driver: `580`. */
  driver: z.string().optional(),
  /** Compute capability, inclusive: 7.5. */
  cc: z.strictObject({ min: z.number().optional(), max: z.number().optional() }).optional(),
});
export type Needs = z.infer<typeof Needs>;

/** A build that the table offers, with what is needed to plan it. */
export interface BuildOffer {
  build: Build;
  needs: Needs;
  /** The variant without its moving part: `cuda-13` for `cuda-13.4`; equal to the variant where nothing moves. */
  family: string;
  /** The GitHub release that `build.assets` are assets of; undefined where it names none. */
  release?: { repo: string; tag: string };
  /** Set where the release's asset list cannot satisfy the build: then `build` holds the table's own names. */
  problem?: BuildProblem;
}

export interface BuildProblem {
  code: "UPSTREAM_MISSING_ASSETS" | "UPSTREAM_AMBIGUOUS";
  /** Absent names, or the family patterns that matched none or several. */
  assets: string[];
  /** What the release has that comes near: all members of an ambiguous family, or names of the same kind. */
  candidates: string[];
  /** One sentence for people. */
  message: string;
}
