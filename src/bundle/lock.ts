import { z } from "zod";
import { FerryError } from "../errors.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { type Digest, digestOf } from "../lib/digest.ts";
import { readText } from "../lib/files.ts";
import { buildName } from "./build-name.ts";
import { TrustSource } from "./document.ts";
import { Arch, MirrorPath, Sha256 } from "./document-values.ts";
import { type Plan } from "./plan.ts";
import { planFiles } from "./plan-files.ts";
import type { Spec } from "./spec.ts";

/** What `plan --write-lock` pins and `build --locked` holds upstream to: tags, asset ids, sizes and digests. */
export const Lock = z.strictObject({
  lockVersion: z.literal(1),
  name: z.string(),
  /** Digest of the spec as read: a changed spec needs a new lock. */
  spec: Sha256,
  /** What "latest" came to, by engine. */
  latest: z.record(z.string(), z.string()),
  releases: z.array(
    z.strictObject({ repo: z.string(), tag: z.string(), id: z.int(), publishedAt: z.string().nullable() }),
  ),
  builds: z.array(
    z.strictObject({
      engine: z.string(),
      version: z.string(),
      arch: Arch,
      variant: z.string(),
      files: z.array(MirrorPath),
    }),
  ),
  /** Times that Python builds are frozen at; absent where there is none. */
  python: z
    .array(
      z.strictObject({
        engine: z.string(),
        version: z.string(),
        arch: Arch,
        variant: z.string(),
        published: z.string(),
      }),
    )
    .optional(),
  files: z.array(
    z.strictObject({
      path: MirrorPath,
      /** null for what is no release asset. */
      assetId: z.int().nullable(),
      size: z.int().nonnegative(),
      /** null where upstream publishes none and the spec allows one computed here. */
      digest: Sha256.nullable(),
      trust: TrustSource,
      updatedAt: z.string(),
    }),
  ),
});
export type Lock = z.infer<typeof Lock>;

export function makeLock(plan: Plan): Lock {
  const python = plan.builds.flatMap(({ engine, version, arch, variant, python: planned }) =>
    planned === undefined
      ? []
      : [{ engine, version, arch, variant, published: planned.resolution.published }],
  );
  return {
    lockVersion: 1,
    name: plan.spec.name,
    spec: specDigest(plan.spec),
    latest: Object.fromEntries(
      plan.builds.filter((build) => build.asked === "latest").map((build) => [build.engine, build.version]),
    ),
    releases: plan.releases.map(({ repo, release }) => ({
      repo,
      tag: release.tag_name,
      id: release.id,
      publishedAt: release.published_at,
    })),
    builds: plan.builds.map(({ engine, version, arch, variant, artifacts }) => ({
      engine,
      version,
      arch,
      variant,
      files: artifacts.map((artifact) => artifact.path),
    })),
    ...(python.length === 0 ? {} : { python }),
    files: planFiles(plan).map((artifact) => ({
      path: artifact.path,
      assetId: artifact.asset?.id ?? null,
      size: artifact.size,
      digest: artifact.digest ?? null,
      trust: artifact.trust,
      updatedAt: artifact.updatedAt,
    })),
  };
}

/** The times that a lock freezes Python builds at, by `buildName`. */
export function pinnedTimes(lock: Lock | undefined): Map<string, string> {
  return new Map((lock?.python ?? []).map((build) => [buildName(build), build.published]));
}

/** The lock as a file: indented for reviews, keys in a fixed order, so that a change shows as a small diff. */
export function renderLock(lock: Lock): string {
  return `${JSON.stringify(lock, null, 2)}\n`;
}

export async function readLock(path: string): Promise<Lock> {
  let value: unknown;
  try {
    value = JSON.parse(await readText(path));
  } catch (cause) {
    if (cause instanceof FerryError) throw cause;
    throw new FerryError("LOCKFILE_INVALID", `${path} is not JSON`, {
      cause,
      hint: "Write it anew with: ferry plan SPEC --write-lock FILE",
    });
  }
  const parsed = Lock.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.map(String).join(".")}: ${issue.message}`);
  throw new FerryError(
    "LOCKFILE_INVALID",
    `${path} is not a lock of this version: ${faults.slice(0, 5).join("; ")}`,
    {
      hint: "Write it anew with: ferry plan SPEC --write-lock FILE",
    },
  );
}

/** Refuses a lock that was made for another spec, before anything is asked of the network. */
export function requireLockFor(lock: Lock, spec: Spec, path: string): void {
  if (lock.spec === specDigest(spec)) return;
  throw new FerryError(
    "LOCK_MISMATCH",
    `${path} was written for another spec (name ${lock.name}): the spec has changed since`,
    {
      hint: "Write the lock anew with: ferry plan SPEC --write-lock FILE, and review the difference.",
      details: { lock: lock.spec, spec: specDigest(spec) },
    },
  );
}

/** Every way in which what upstream offers now departs from the lock; files with other bytes are left to `replaced`. */
export function lockDifferences(locked: Lock, now: Lock): string[] {
  const differences: string[] = [];
  const builds = (lock: Lock): Set<string> =>
    new Set(
      lock.builds.map(
        (b) => `build ${b.engine} ${b.version} ${b.arch} ${b.variant} of ${b.files.join(", ")}`,
      ),
    );
  const releases = (lock: Lock): Set<string> =>
    new Set(lock.releases.map((r) => `release ${r.repo} ${r.tag} with id ${r.id}`));
  const files = (lock: Lock): Set<string> => new Set(lock.files.map((f) => `file ${f.path}`));
  for (const view of [releases, builds, files]) {
    const before = view(locked);
    const after = view(now);
    for (const item of before) {
      if (!after.has(item)) differences.push(`${item}: locked, and no longer offered`);
    }
    for (const item of after) {
      if (!before.has(item)) differences.push(`${item}: offered, and not in the lock`);
    }
  }
  return [...differences, ...otherUploads(locked, now)];
}

/** Files of the same path that upstream vouches for in another way, or uploaded anew. */
function otherUploads(locked: Lock, now: Lock): string[] {
  const current = new Map(now.files.map((file) => [file.path, file]));
  return locked.files.flatMap(({ path, digest, assetId }) => {
    const other = current.get(path);
    if (other === undefined) return [];
    if (other.digest === null && digest !== null) {
      return [`file ${path}: ${digest} is locked, upstream publishes no digest any more`];
    }
    if (other.digest !== digest || other.assetId === assetId) return [];
    return [`file ${path}: asset id ${assetId} is locked, upstream has ${other.assetId} (uploaded anew)`];
  });
}

export function requireSameAsLock(locked: Lock, now: Lock, path: string): void {
  const differences = lockDifferences(locked, now);
  if (differences.length === 0) return;
  throw new FerryError("LOCK_MISMATCH", `upstream differs from ${path}:\n  ${differences.join("\n  ")}`, {
    hint: "Look at what changed; then write the lock anew with: ferry plan SPEC --write-lock FILE",
    details: { differences },
  });
}

export function specDigest(spec: Spec): Digest {
  return digestOf(canonicalJson(spec));
}
