import { FerryError } from "../errors.ts";
import type { Artifact } from "../upstream/artifact.ts";
import { buildName } from "./build-name.ts";
import { type Lock, makeLock, pinnedTimes, requireLockFor, requireSameAsLock } from "./lock.ts";
import { makePlan, type Plan, type PlanInput } from "./plan.ts";
import { planFiles } from "./plan-files.ts";
import { type KnownFile, refuseReplaced } from "./replaced.ts";

/** What a build may be held to besides its spec. */
export interface Guards {
  /** A lock and the path it was read from. */
  lock?: { lock: Lock; path: string } | undefined;
  /** Files of earlier bundles; `where` names the bundle. */
  earlier: readonly { where: string; files: readonly KnownFile[] }[];
  /** Go on where an asset was replaced upstream. */
  acceptChanged: boolean;
  /** Go on without builds that upstream lacks. */
  allowMissing: boolean;
}

/**
 * Plans, and refuses what must not be built: a spec that is not the lock's, assets with other bytes than before, anything
 * that differs from the lock, and gaps. No file of the bundle has been downloaded when it throws, but what resolving Python engines takes.
 */
export async function preparePlan(input: PlanInput, guards: Guards): Promise<Plan> {
  const { lock } = guards;
  if (lock !== undefined) requireLockFor(lock.lock, input.spec, lock.path);
  const pinnedLatest = lock === undefined ? undefined : new Map(Object.entries(lock.lock.latest));
  const plan = await makePlan({ ...input, pinnedLatest, pinnedTimes: pinnedTimes(lock?.lock) });
  const artifacts = planFiles(plan);
  requireSameBytes(artifacts, guards);
  if (lock !== undefined) requireSameAsLock(lock.lock, makeLock(plan), lock.path);
  requireNoGaps(plan, guards.allowMissing);
  if (artifacts.length === 0) {
    throw new FerryError(
      "UPSTREAM_MISSING_ASSETS",
      `nothing to carry: upstream has none of the builds that ${plan.spec.name} names`,
      { hint: "Ask for another version, or for other variants: ferry plan SPEC says what is missing." },
    );
  }
  return plan;
}

/**
 * Throws ASSET_REPLACED where a lock or an earlier bundle knows a path with other bytes. Asked of what is planned, and again
 * of what was fetched: only then is the digest of a file known that nobody publishes one for.
 */
export function requireSameBytes(artifacts: readonly Artifact[], guards: Guards): void {
  if (guards.acceptChanged) return;
  if (guards.lock !== undefined) refuseReplaced(artifacts, guards.lock.lock.files, "the lock");
  for (const { where, files } of guards.earlier) refuseReplaced(artifacts, files, where);
}

/** Throws UPSTREAM_MISSING_ASSETS listing every absent build, unless gaps are allowed. */
export function requireNoGaps(plan: Plan, allowMissing: boolean): void {
  if (plan.missing.length === 0 || allowMissing) return;
  const list = plan.missing.map((gap) => `${buildName(gap)}: ${gap.reason}`);
  throw new FerryError(
    "UPSTREAM_MISSING_ASSETS",
    `upstream lacks ${list.length === 1 ? "1 build" : `${list.length} builds`}:\n  ${list.join("\n  ")}`,
    {
      hint: "Ask for another version, leave these builds out of the spec, or let --allow-missing record the gap in the bundle.",
      details: { missing: plan.missing },
    },
  );
}

/**
 * Refuses a release that changed while it was being fetched (an upload that was still going on): a glob would have
 * carried a part of it, and nobody would have known.
 */
export function requireUnchanged(before: Plan, after: Plan): void {
  const names = (plan: Plan): string[] =>
    planFiles(plan).map((file) => `${file.path} ${file.size} ${file.digest ?? "?"} ${file.asset?.id ?? ""}`);
  const was = new Set(names(before));
  const is = new Set(names(after));
  const changed = [...[...is].filter((name) => !was.has(name)), ...[...was].filter((name) => !is.has(name))];
  if (changed.length === 0) return;
  const paths = [...new Set(changed.map((name) => name.split(" ")[0] ?? name))];
  throw new FerryError(
    "UPSTREAM_UPLOADING",
    `upstream changed while files were fetched: ${paths.join(", ")}`,
    {
      hint: "Somebody is uploading to that release. Run the same command again: only what is new is fetched.",
      details: { paths },
    },
  );
}
