import type { BundleSource } from "../archive/bundle-source.ts";
import { FerryError, interrupted } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { type Digest, digestOf } from "../lib/digest.ts";
import type { Logger } from "../log.ts";
import { markImport } from "../store/import-mark.ts";
import type { LayoutStore } from "../store/layout-store.ts";
import type { Verifier } from "../trust/verifier.ts";
import { INDEX_FILE, LAYOUT_FILE } from "../wire/oci.ts";
import { listFiles } from "./each-file.ts";
import { type BlobWork, findHeld, requireRoom, writeContents } from "./import-blobs.ts";
import type { Preference } from "./import-conflicts.ts";
import { createRecorder } from "./import-record.ts";
import { type ImportReport, lacking, reportImport } from "./import-report.ts";
import { abandonImport } from "./import-undo.ts";
import { type BundleTrust, type OpenedBundle, openBundle } from "./open.ts";

export interface ImportOptions extends Omit<BlobWork, "signal"> {
  store: LayoutStore;
  /** Keys of which one must have signed. May be empty only with `allowUnsigned`. */
  trust: readonly Verifier[];
  /** Lets a bundle without signature pass; without `trust`, any bundle. That is said loudly, and recorded. */
  allowUnsigned?: boolean;
  /** Which bytes are served where another bundle has the same path. Without it such a bundle is refused. */
  prefer?: Preference | undefined;
  /** Lets a bundle in whose counter is lower than that of one of its name. */
  allowOlder?: boolean;
  clock: Clock;
  logger: Logger;
  signal?: AbortSignal;
}

/**
 * Brings a bundle into a store. The signature is checked before anything is written, every content is hashed while it is
 * written, what the store has already is hashed and skipped, and index.json is replaced last, in one step: whenever this
 * ends or is killed, readers see the store without the bundle or with all of it, and the next run goes on where it was.
 * Other imports, a mirror and garbage collection may run meanwhile.
 *
 * Throws what `openBundle` throws; BUNDLE_OLDER, BUNDLE_CONFLICT, DISK_FULL before anything is written; BUNDLE_UNLISTED,
 * BUNDLE_TRUNCATED, SIZE_MISMATCH, DIGEST_MISMATCH, after which the store holds what it held before; INTERRUPTED.
 */
export async function importBundle(source: BundleSource, options: ImportOptions): Promise<ImportReport> {
  const { store, clock, logger, prefer, allowOlder = false } = options;
  const work: BlobWork = { ...options, signal: options.signal ?? new AbortController().signal };
  const opened = await openBundle(source, trustOf(options));
  warnUnsigned(opened, logger);
  const recorder = createRecorder(opened, { store, prefer, allowOlder, clock, logger });
  await recorder.judge();
  const files = await listFiles(opened);

  const { name, counter } = opened.document;
  const metadata = metadataBlobs(opened);
  const digests = [...metadata.keys(), ...opened.blobs.map(({ digest }) => digest)];
  const mark = await markImport(store, opened.manifestDigest, `${name} ${counter}`, digests);
  const written: Digest[] = [];
  const onWritten = (digest: Digest): void => void written.push(digest);
  try {
    const held = await findHeld(opened.blobs, opened.label, work);
    await requireRoom(lacking(opened, held), opened.label, store);
    await writeContents(opened, files, held, work, onWritten);
    if (work.signal.aborted) throw interrupted(`importing ${opened.label}`);
    const rewritten = await writeMetadata(store, metadata, onWritten);
    await requireAll(store, opened, metadata);
    const recorded = await recorder.record();
    await mark.done();
    return reportImport(opened, held, { ...recorded, rewritten, prefer });
  } catch (error) {
    await abandonImport(store, mark, written, error, logger);
    throw error;
  }
}

function trustOf({ trust, allowUnsigned = false }: ImportOptions): BundleTrust {
  return trust.length === 0 && allowUnsigned ? "unsigned-ok" : { verifiers: trust, allowUnsigned };
}

function warnUnsigned({ label, signedBy, claims }: OpenedBundle, logger: Logger): void {
  if (signedBy.length > 0) return;
  const why =
    claims.length === 0
      ? "it is NOT SIGNED"
      : `its signature was NOT CHECKED (it claims key ${claims.map(({ keyId }) => keyId).join(", ")})`;
  logger.warn(
    `${label}: ${why}; anybody may have made it, and nodes will run what it carries. It is imported because of --allow-unsigned, and recorded as unsigned.`,
  );
}

/** Manifest, document and signature; `oci-layout` and `index.json` are the store's own. */
function metadataBlobs({ metadata }: OpenedBundle): Map<Digest, Buffer> {
  return new Map(
    metadata
      .filter(({ name }) => name !== LAYOUT_FILE && name !== INDEX_FILE)
      .map(({ bytes }) => [digestOf(bytes), bytes]),
  );
}

/** Returns how many the store lacked, or had damaged. */
async function writeMetadata(
  store: LayoutStore,
  metadata: ReadonlyMap<Digest, Buffer>,
  onWritten: (digest: Digest) => void,
): Promise<number> {
  let rewritten = 0;
  for (const [digest, bytes] of metadata) {
    const state = await store.verify(digest, bytes.length);
    if (state === "ok") continue;
    await store.putSmall(bytes);
    rewritten++;
    if (state === "absent") onWritten(digest);
  }
  return rewritten;
}

/** What the index names must be there: somebody may have removed the bundle, and collected garbage, while we wrote. */
async function requireAll(
  store: LayoutStore,
  { blobs, label }: OpenedBundle,
  metadata: ReadonlyMap<Digest, Buffer>,
): Promise<void> {
  const sizes = [...metadata].map(([digest, { length }]) => ({ digest, size: length }));
  for (const { digest, size } of [...blobs, ...sizes]) {
    if ((await store.stat(digest)) === size) continue;
    throw new FerryError("STORE_DAMAGED", `${digest} vanished from the store while ${label} was imported`, {
      hint: "Somebody removed it. Run the same command again: what is there and good is not written twice.",
      details: { digest },
    });
  }
}
