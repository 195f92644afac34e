import { z } from "zod";
import { hexOf } from "../lib/digest.ts";
import { publicAddress } from "../lib/redact.ts";
import { sumSizes } from "../lib/size.ts";
import type { BlobStore } from "../store/blob-store.ts";
import type { Artifact } from "../upstream/artifact.ts";
import { MissingBuild, TrustSource } from "./document.ts";
import { Arch, Sha256 } from "./document-values.ts";
import { type Plan } from "./plan.ts";
import { planFiles } from "./plan-files.ts";
import type { PlannedPython } from "./python/planned.ts";

const FilesAndBytes = z.strictObject({ files: z.int(), bytes: z.int() });

/** `ferry plan --json`: one document. Sizes are bytes. */
export const PlanReport = z.strictObject({
  planVersion: z.literal(1),
  name: z.string(),
  counter: z.int(),
  /** Builds that can be carried whole, in the order of the spec. */
  builds: z.array(
    z.strictObject({
      engine: z.string(),
      asked: z.string(),
      version: z.string(),
      arch: Arch,
      variant: z.string(),
      files: z.array(z.string()),
      bytes: z.int(),
      note: z.string().optional(),
      /** Of an engine that runs in Python. */
      python: z
        .strictObject({
          version: z.string(),
          /** Of the lock; its wheels are among `files`. */
          packages: z.int(),
          wheels: z.int(),
          /** Bytes of the wheels that an installation downloads: the best of each package. */
          bytes: z.int(),
          /** Newest glibc that a package needs. */
          glibc: z.string(),
          published: z.string(),
          excludeNewer: z.string(),
        })
        .optional(),
    }),
  ),
  /** Assets named by glob. */
  assets: z.array(
    z.strictObject({ repo: z.string(), tag: z.string(), files: z.array(z.string()), bytes: z.int() }),
  ),
  files: z.array(
    z.strictObject({
      path: z.string(),
      url: z.string(),
      size: z.int(),
      digest: Sha256.nullable(),
      trust: TrustSource,
      updatedAt: z.string(),
      /** A blob of this digest and size lies in the store; `build` re-hashes it before it uses it. */
      inStore: z.boolean(),
    }),
  ),
  missing: z.array(MissingBuild),
  totals: z.strictObject({
    /** Each path once. */
    files: z.int(),
    bytes: z.int(),
    inStore: FilesAndBytes,
    download: FilesAndBytes,
    /** The bundle as a tar; files of equal content are carried once. */
    bundle: z.int(),
    /** Free space a build needs: new blobs in the store, and the bundle. */
    diskNeeded: z.strictObject({ store: z.int(), bundle: z.int() }),
  }),
});
export type PlanReport = z.infer<typeof PlanReport>;

/** Sums a plan up against what the store holds. */
export async function reportPlan(plan: Plan, store: BlobStore | undefined): Promise<PlanReport> {
  const artifacts = planFiles(plan);
  const files: PlanReport["files"] = [];
  for (const artifact of artifacts) {
    files.push({
      path: artifact.path,
      url: publicAddress(artifact.url),
      size: artifact.size,
      digest: artifact.digest ?? null,
      trust: artifact.trust,
      updatedAt: artifact.updatedAt,
      inStore: await holds(store, artifact),
    });
  }
  const once = distinctBlobs(files);
  const here = once.filter((file) => file.inStore);
  const wanted = once.filter((file) => !file.inStore);
  const bundle = bundleSize(once.map((file) => file.size));
  return {
    planVersion: 1,
    name: plan.spec.name,
    counter: plan.spec.counter,
    builds: plan.builds.map((build) => ({
      engine: build.engine,
      asked: build.asked,
      version: build.version,
      arch: build.arch,
      variant: build.variant,
      files: build.artifacts.map((artifact) => artifact.path),
      bytes: sumSizes(build.artifacts),
      ...(build.build.note === undefined ? {} : { note: build.build.note }),
      ...(build.python === undefined ? {} : { python: pythonFacts(build.python) }),
    })),
    assets: plan.extras.map((extra) => ({
      repo: extra.repo,
      tag: extra.tag,
      files: extra.artifacts.map((artifact) => artifact.path),
      bytes: sumSizes(extra.artifacts),
    })),
    files,
    missing: plan.missing,
    totals: {
      files: files.length,
      bytes: sumSizes(files),
      inStore: { files: here.length, bytes: sumSizes(here) },
      download: { files: wanted.length, bytes: sumSizes(wanted) },
      bundle,
      diskNeeded: { store: sumSizes(wanted), bundle },
    },
  };
}

function pythonFacts({
  resolution,
  wheels,
  bytes,
  glibc,
}: PlannedPython): NonNullable<PlanReport["builds"][number]["python"]> {
  return {
    version: resolution.python,
    packages: resolution.packages.length,
    wheels: wheels.length,
    bytes,
    glibc,
    published: resolution.published,
    excludeNewer: resolution.excludeNewer,
  };
}

async function holds(store: BlobStore | undefined, artifact: Artifact): Promise<boolean> {
  if (store === undefined || artifact.digest === undefined) return false;
  return (await store.stat(artifact.digest)) === artifact.size;
}

/** Files of equal content count once: they are one blob in store and bundle. */
function distinctBlobs(files: PlanReport["files"]): PlanReport["files"] {
  return [
    ...new Map(files.map((file) => [file.digest === null ? file.path : hexOf(file.digest), file])).values(),
  ];
}

/** Bytes of a plain tar: a header block and padding for each entry, the end marker, and room for the metadata blobs. */
export function bundleSize(sizes: readonly number[]): number {
  const block = 512;
  const metadata = 64 * 1024 + sizes.length * 1024;
  return sizes.reduce((sum, size) => sum + block + Math.ceil(size / block) * block, metadata + 2 * block);
}
