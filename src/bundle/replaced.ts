import { FerryError } from "../errors.ts";
import type { Digest } from "../lib/digest.ts";
import type { Artifact } from "../upstream/artifact.ts";

/** A file as it was known before: in a lock, or in an earlier bundle. */
export interface KnownFile {
  path: string;
  digest: Digest | null;
  size: number;
  updatedAt: string;
}

/**
 * Refuses files that carry a known path and other bytes: somebody replaced an asset upstream under the same tag and name.
 * `where` says what knew them (`the lock`, `bundle site-a 3`). Throws ASSET_REPLACED with both digests and dates.
 */
export function refuseReplaced(
  artifacts: readonly Artifact[],
  known: readonly KnownFile[],
  where: string,
): void {
  const before = new Map(known.map((file) => [file.path, file]));
  const changed = artifacts.flatMap((artifact) => {
    const old = before.get(artifact.path);
    if (old === undefined) return [];
    const sameDigest = old.digest === null || artifact.digest === undefined || old.digest === artifact.digest;
    return sameDigest && old.size === artifact.size ? [] : [{ old, artifact }];
  });
  if (changed.length === 0) return;
  const lines = changed.map(
    ({ old, artifact }) =>
      `${artifact.path}\n    ${where}: ${old.digest ?? `${old.size} bytes`} of ${old.updatedAt}\n    upstream now: ${artifact.digest ?? `${artifact.size} bytes`} of ${artifact.updatedAt}`,
  );
  throw new FerryError(
    "ASSET_REPLACED",
    `asset replaced upstream under the same tag and name:\n  ${lines.join("\n  ")}`,
    {
      hint: "Ask upstream why it changed. If the new bytes are the ones you want, run the command again with --accept-changed.",
      details: {
        where,
        files: changed.map(({ old, artifact }) => ({
          path: artifact.path,
          before: { digest: old.digest, updatedAt: old.updatedAt },
          now: { digest: artifact.digest ?? null, updatedAt: artifact.updatedAt },
        })),
      },
    },
  );
}
