import { FerryError } from "../errors.ts";
import type { Artifact } from "../upstream/artifact.ts";
import type { Plan } from "./plan.ts";

/**
 * The files of a plan, each path once (with a digest where any entry of the spec gives one), sorted by path. Throws
 * ASSET_REPLACED where two entries are sure of different ones.
 */
export function planFiles(plan: Plan): Artifact[] {
  const all = [
    ...plan.builds.flatMap((build) => build.artifacts),
    ...plan.extras.flatMap((extra) => extra.artifacts),
  ];
  const byPath = new Map<string, Artifact>();
  for (const artifact of all) byPath.set(artifact.path, stronger(byPath.get(artifact.path), artifact));
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Of one file that several entries of a spec name, each with its own reasons to believe it, the one with a digest.
 * Throws ASSET_REPLACED where they come to different ones.
 */
function stronger(known: Artifact | undefined, other: Artifact): Artifact {
  if (known?.digest === undefined) return other;
  if (other.digest === undefined || other.digest === known.digest) return known;
  throw new FerryError(
    "ASSET_REPLACED",
    `${other.path}: one entry of the spec comes to ${known.digest} (${known.trust}), another to ${other.digest} (${other.trust})`,
    {
      hint: "Find out which one is right before you carry it; then correct sha256 in the spec.",
      details: { path: other.path, digests: [known.digest, other.digest] },
    },
  );
}
