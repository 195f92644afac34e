import { z } from "zod";
import type { BundleSource } from "../archive/bundle-source.ts";
import { interrupted } from "../errors.ts";
import { sumSizes } from "../lib/size.ts";
import { withProgress } from "../lib/with-progress.ts";
import type { Logger } from "../log.ts";
import { KeyRef } from "../trust/key-id.ts";
import type { Verifier } from "../trust/verifier.ts";
import { type DamagedBlob, damagedFiles } from "./bundle-faults.ts";
import { Sha256 } from "./document-values.ts";
import { eachFile, listFiles } from "./each-file.ts";
import { openBundle } from "./open.ts";

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
  const bytes = sumSizes(opened.blobs);
  await withProgress(
    logger,
    { id: "verify", label: `verify ${opened.label}`, total: bytes },
    async (advance) => {
      const damaged: DamagedBlob[] = [];
      await eachFile(await listFiles(opened), options.concurrency, async ({ entry, blob }) => {
        if (options.signal?.aborted === true) throw interrupted(`verifying ${opened.label}`);
        const found = await entry.digest();
        advance(blob.size);
        if (found !== blob.digest) damaged.push({ blob, found });
      });
      damaged.sort((a, b) => (a.blob.digest < b.blob.digest ? -1 : 1));
      if (damaged.length > 0) throw damagedFiles(opened.label, damaged, opened.blobs.length);
    },
  );
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
