import pLimit from "p-limit";
import { z } from "zod";
import type { BundleSource } from "../archive/bundle-source.ts";
import { interrupted } from "../errors.ts";
import type { Logger } from "../log.ts";
import { KeyRef } from "../trust/key-id.ts";
import type { Verifier } from "../trust/verifier.ts";
import { type DamagedBlob, damagedFiles } from "./bundle-faults.ts";
import type { BundleFile } from "./bundle-files.ts";
import { Sha256 } from "./document.ts";
import { type OpenedBundle, openBundle } from "./open.ts";

/** `ferry verify --json`: written only when everything was verified. Sizes are bytes. */
export const VerifyReport = z.strictObject({
  verified: z.literal(true),
  /** The path that was read, or `standard input`. */
  bundle: z.string(),
  name: z.string(),
  counter: z.int(),
  created: z.string(),
  /** Digest of the manifest: what the signature covers. */
  manifest: Sha256,
  /** The given keys that signed. */
  signedBy: z.array(KeyRef).min(1),
  /** Paths that a mirror will serve. */
  files: z.int(),
  /** Distinct contents; files of equal content are carried once. */
  contents: z.int(),
  /** Size of all contents. */
  bytes: z.int(),
});
export type VerifyReport = z.infer<typeof VerifyReport>;

export interface VerifyOptions {
  /** Contents hashed at once where the source is seekable; at least 1. */
  concurrency: number;
  logger: Logger;
  signal?: AbortSignal;
}

/**
 * Verifies everything: signature, manifest, document, and every content's digest; nothing absent, nothing unlisted.
 * Asks no network. Throws what `openBundle` and `bundleFiles` throw, and DIGEST_MISMATCH naming every damaged file.
 */
export async function verifyBundle(
  source: BundleSource,
  verifiers: readonly Verifier[],
  options: VerifyOptions,
): Promise<VerifyReport> {
  const { logger } = options;
  const opened = await openBundle(source, { verifiers });
  const bytes = opened.blobs.reduce((sum, { size }) => sum + size, 0);
  const id = "verify";
  logger.progress({ kind: "start", id, label: `verify ${opened.label}`, total: bytes, done: 0 });
  let ok = false;
  try {
    const damaged = await hashAll(opened, options.concurrency, async (file) => {
      if (options.signal?.aborted === true) throw interrupted(`verifying ${opened.label}`);
      const found = await file.entry.digest();
      logger.progress({ kind: "advance", id, bytes: file.blob.size });
      return found === file.blob.digest ? undefined : { blob: file.blob, found };
    });
    if (damaged.length > 0) throw damagedFiles(opened.label, damaged, opened.blobs.length);
    ok = true;
  } finally {
    logger.progress({ kind: "end", id, ok });
  }
  const { document } = opened;
  return {
    verified: true,
    bundle: opened.label,
    name: document.name,
    counter: document.counter,
    created: document.created,
    manifest: opened.manifestDigest,
    signedBy: opened.signedBy,
    files: document.files.length,
    contents: opened.blobs.length,
    bytes,
  };
}

/**
 * Checks every file and gathers the damaged ones; any other error ends the work. Of a stream one after the other as they
 * come, else `concurrency` at a time. Nothing reads the source any more when this returns or throws.
 */
async function hashAll(
  opened: OpenedBundle,
  concurrency: number,
  check: (file: BundleFile) => Promise<DamagedBlob | undefined>,
): Promise<DamagedBlob[]> {
  const results: (DamagedBlob | undefined)[] = [];
  if (!opened.seekable) {
    for await (const file of opened.files()) results.push(await check(file));
    return results.filter((found) => found !== undefined);
  }
  const files: BundleFile[] = [];
  for await (const file of opened.files()) files.push(file);
  const failures: unknown[] = [];
  const checkUnlessFailed = async (file: BundleFile): Promise<void> => {
    if (failures.length > 0) return;
    try {
      results.push(await check(file));
    } catch (error) {
      failures.push(error);
    }
  };
  const limit = pLimit(concurrency);
  await Promise.all(files.map((file) => limit(checkUnlessFailed, file)));
  if (failures.length > 0) throw failures[0];
  return results.filter((found) => found !== undefined).sort(byDigest);
}

function byDigest(a: DamagedBlob, b: DamagedBlob): number {
  return a.blob.digest < b.blob.digest ? -1 : 1;
}
