import { chmod, open, opendir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fromFileError } from "../errors.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { type Digest, digestOf, hexOf, isDigest } from "../lib/digest.ts";
import { createHashPool, type HashPool, ShortRangeError } from "../lib/hash-pool.ts";
import { acquireLock, type Lock } from "../lib/lock.ts";
import { syncFolder } from "../lib/sync-folder.ts";
import type { Index } from "../wire/oci.ts";
import { sizeMismatch, writeBlobFile } from "./blob-file.ts";
import { blobFileSize, readBlobFile, readSmallBlobFile } from "./blob-reader.ts";
import type { LocalBlobStore } from "./blob-store.ts";
import { readIndexFile, writeIndexFile } from "./index-file.ts";
import { createLayout, type LayoutFolders } from "./layout-folders.ts";

/** An OCI image layout on disk: the builder's cache and the mirror's store alike. */
export interface LayoutStore extends LocalBlobStore {
  readonly folders: LayoutFolders;
  /**
   * Makes sure that a blob is not only there but good, before it is shipped or counted as held. A damaged one is removed,
   * so that it is fetched again. Throws SIZE_MISMATCH where the bytes are good and the stated size is wrong.
   */
  ensureGood(digest: Digest, size: number): Promise<"ok" | "absent" | "removed">;
  /** Readers need no lock: they see the index before or after a change. Throws STORE_DAMAGED. */
  readIndex(): Promise<Index>;
  /**
   * Replaces the index by what `change` makes of it. Changes of several processes come one after the other and none is
   * lost. Put blobs first: whoever reads the index may ask for them at once. Throws STORE_BUSY naming who holds the lock.
   */
  updateIndex(change: (index: Index) => Index): Promise<Index>;
  /** Takes one of the store's locks between processes: `index` is held for a moment only, others are the caller's to name. */
  lock(name: string, what: string, waitMs?: number): Promise<Lock>;
}

export interface LayoutStoreOptions {
  clock?: Clock;
  /** Threads that re-hash blobs; the caller's to close. By default the store has its own, which keep nothing alive. */
  pool?: HashPool;
}

/** An index change takes milliseconds, garbage collection seconds: who waits longer than this waits for something stuck. */
const INDEX_WAIT_MS = 30_000;

/**
 * Opens the store at `root`, and creates it on first use. Blobs are `blobs/sha256/<hex>`; everything private (unfinished
 * downloads, locks, marks of running imports) is under `ferry/`. Throws STORE_DAMAGED, FILE_UNWRITABLE, DISK_FULL.
 */
export async function openLayoutStore(root: string, options: LayoutStoreOptions = {}): Promise<LayoutStore> {
  const folders = await createLayout(root);
  const clock = options.clock ?? systemClock;
  const pool = options.pool ?? createHashPool();
  const pathOf = (digest: Digest): string => join(folders.blobs, hexOf(digest));
  const lock: LayoutStore["lock"] = (name, what, waitMs = 0) =>
    acquireLock(join(folders.locks, name), { what, clock, waitMs });

  return {
    root,
    folders,
    pathOf,
    lock,
    stat: (digest) => blobFileSize(pathOf(digest)),
    read: (digest, range) => readBlobFile(pathOf(digest), digest, range),
    readSmall: (digest) => readSmallBlobFile(pathOf(digest), digest),
    putSmall: async (content) => {
      const digest = digestOf(content);
      await put(pathOf(digest), one(content), { digest, size: content.length }, digest);
      return digest;
    },
    putStream: (content, expected, what) => put(pathOf(expected.digest), content, expected, what),
    verify: (digest, size) => verify(pathOf(digest), digest, size, pool),
    ensureGood: (digest, size) => ensureGood(pathOf(digest), digest, size, pool),
    delete: async (digest) => {
      await remove(pathOf(digest));
    },
    list: () => list(folders.blobs),
    partialPath: (key) => Promise.resolve(join(folders.partial, key.replaceAll(/[^A-Za-z0-9._-]/g, "_"))),
    adopt: (path, digest) => adopt(path, pathOf(digest)),
    readIndex: () => readIndexFile(folders.index),
    updateIndex: async (change) => {
      const held = await lock("index", "changing the index", INDEX_WAIT_MS);
      try {
        const changed = change(await readIndexFile(folders.index));
        await writeIndexFile(folders.index, changed);
        return changed;
      } finally {
        await held.release();
      }
    },
  };
}

async function* one(content: Uint8Array): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield content;
}

async function put(
  path: string,
  content: AsyncIterable<Uint8Array>,
  expected: { digest: Digest; size: number },
  what: string,
): Promise<void> {
  try {
    await writeBlobFile(path, content, expected, what);
  } catch (error) {
    throw fromFileError(error, `store ${what} as`, path, "FILE_UNWRITABLE");
  }
}

async function verify(
  path: string,
  digest: Digest,
  size: number,
  pool: HashPool,
): Promise<"ok" | "damaged" | "absent"> {
  const found = await blobFileSize(path);
  if (found === undefined) return "absent";
  if (found !== size) return "damaged";
  return (await rehash(path, size, pool)) === digest ? "ok" : "damaged";
}

async function rehash(path: string, size: number, pool: HashPool): Promise<Digest | undefined> {
  try {
    return await pool.hashRange(path, 0, size);
  } catch (error) {
    // Cut, or not readable at all (a bad sector is EIO): either way these are not the bytes.
    if (
      error instanceof ShortRangeError ||
      (error instanceof Error && "code" in error && error.code === "EIO")
    ) {
      return undefined;
    }
    throw fromFileError(error, "hash", path, "FILE_UNREADABLE");
  }
}

async function ensureGood(
  path: string,
  digest: Digest,
  size: number,
  pool: HashPool,
): Promise<"ok" | "absent" | "removed"> {
  const found = await blobFileSize(path);
  if (found === undefined) return "absent";
  if ((await rehash(path, found, pool)) === digest) {
    if (found !== size) throw sizeMismatch(digest, size, found);
    return "ok";
  }
  await remove(path);
  return "removed";
}

async function remove(path: string): Promise<void> {
  try {
    await rm(path, { force: true, recursive: true });
  } catch (error) {
    throw fromFileError(error, "remove", path, "FILE_UNWRITABLE");
  }
}

/** Whatever else lies between the blobs (an unfinished write, a stranger's file) is not listed. */
async function* list(blobs: string): AsyncGenerator<{ digest: Digest; size: number }> {
  for await (const entry of await opendir(blobs)) {
    const digest = `sha256:${entry.name}`;
    if (!entry.isFile() || !isDigest(digest)) continue;
    const size = await blobFileSize(join(blobs, entry.name));
    if (size !== undefined) yield { digest, size };
  }
}

async function adopt(from: string, to: string): Promise<void> {
  try {
    const handle = await open(from, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    await chmod(from, 0o644);
    await rename(from, to);
    await syncFolder(dirname(to));
  } catch (error) {
    throw fromFileError(error, `move ${from} to`, to, "FILE_UNWRITABLE");
  }
}
