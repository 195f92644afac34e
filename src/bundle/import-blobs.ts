import { FerryError, interrupted, isFerryError } from "../errors.ts";
import { type Digest, isDigest } from "../lib/digest.ts";
import { inParallel } from "../lib/in-parallel.ts";
import { sumSizes } from "../lib/size.ts";
import { type Work, withProgress } from "../lib/with-progress.ts";
import type { Logger } from "../log.ts";
import { freeSpace } from "../store/free-space.ts";
import type { LayoutStore } from "../store/layout-store.ts";
import { type DamagedBlob, damagedFiles } from "./bundle-faults.ts";
import type { BundleFile } from "./bundle-files.ts";
import { type CarriedBlob, nameOf } from "./carried-blobs.ts";
import { eachFile, type Files } from "./each-file.ts";
import type { OpenedBundle } from "./open.ts";

export interface BlobWork {
  store: LayoutStore;
  logger: Logger;
  signal: AbortSignal;
  /** Contents hashed, or of a seekable source written, at once; at least 1. */
  concurrency: number;
}

export type Held = ReadonlyMap<Digest, "ok" | "damaged" | "absent">;

/** What the store has of a bundle's contents already, every one of them hashed again. */
export async function findHeld(blobs: readonly CarriedBlob[], label: string, work: BlobWork): Promise<Held> {
  const { store } = work;
  const there: CarriedBlob[] = [];
  const held = new Map<Digest, "ok" | "damaged" | "absent">();
  for (const blob of blobs) {
    if ((await store.stat(blob.digest)) === undefined) held.set(blob.digest, "absent");
    else there.push(blob);
  }
  await withProgress(work.logger, hashing(`hash what the store has of ${label}`, there), async (advance) => {
    await inParallel(there, work.concurrency, async (blob) => {
      if (work.signal.aborted) throw interrupted(`importing ${label}`);
      held.set(blob.digest, await store.verify(blob.digest, blob.size));
      advance(blob.size);
    });
  });
  return held;
}

/** Throws DISK_FULL where the contents that have to be written cannot fit. */
export async function requireRoom(
  wanted: readonly CarriedBlob[],
  label: string,
  store: LayoutStore,
): Promise<void> {
  const needed = sumSizes(wanted);
  const free = await freeSpace(store.root);
  if (needed <= free) return;
  throw new FerryError(
    "DISK_FULL",
    `importing ${label} needs ${needed} bytes in the store at ${store.root}, and ${free} are free`,
    {
      hint: "Nothing was written. Remove bundles that are not needed any more (ferry remove, then ferry gc), or give the store a larger disk.",
      details: { needed, free, store: store.root },
    },
  );
}

/**
 * Writes the contents that the store lacks, each hashed on its way, and tells of each that is new under its name. Those
 * that the store has are hashed as well: a bundle is sound as a whole, or it is refused.
 * After the first damaged one nothing more is written, but all are hashed, so that the error names every damaged file.
 * `files` are the bundle's, as `listFiles` gives them.
 * Throws what `bundleFiles` throws, DIGEST_MISMATCH, DISK_FULL, INTERRUPTED. Nothing reads the source any more then.
 */
export async function writeContents(
  opened: OpenedBundle,
  files: Files,
  held: Held,
  work: BlobWork,
  onWritten: (digest: Digest) => void,
): Promise<void> {
  const { label, blobs } = opened;
  const damaged: DamagedBlob[] = [];
  await withProgress(work.logger, hashing(`import ${label}`, blobs), async (advance) => {
    const take = async ({ blob, entry }: BundleFile): Promise<void> => {
      if (work.signal.aborted) throw interrupted(`importing ${label}`);
      if (held.get(blob.digest) === "ok" || damaged.length > 0) {
        const found = await entry.digest();
        advance(blob.size);
        if (found !== blob.digest) damaged.push({ blob, found });
        return;
      }
      const content = watched(entry.stream(), work.signal, label, advance);
      try {
        await work.store.putStream(content, blob, nameOf(blob));
        if (held.get(blob.digest) === "absent") onWritten(blob.digest);
      } catch (error) {
        const found = foundDigest(error);
        if (found === undefined) throw error;
        damaged.push({ blob, found });
      }
    };
    await eachFile(files, work.concurrency, take);
  });
  if (damaged.length === 0) return;
  damaged.sort((a, b) => (a.blob.digest < b.blob.digest ? -1 : 1));
  throw damagedFiles(label, damaged, blobs.length);
}

/** The digest that bytes were found to have instead of the announced one, where that is what an error says. */
function foundDigest(error: unknown): Digest | undefined {
  if (!isFerryError(error, "DIGEST_MISMATCH")) return undefined;
  const found = String(error.details?.["found"]);
  return isDigest(found) ? found : undefined;
}

async function* watched(
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  label: string,
  advance: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    if (signal.aborted) throw interrupted(`importing ${label}`);
    advance(chunk.length);
    yield chunk;
  }
}

function hashing(label: string, blobs: readonly CarriedBlob[]): Work {
  return { id: label, label, total: sumSizes(blobs) };
}
