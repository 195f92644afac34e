import { ERROR_CODES, EXIT, isFerryError } from "../errors.ts";
import type { Digest } from "../lib/digest.ts";
import type { Logger } from "../log.ts";
import { importMarks, type RunningImport } from "../store/import-mark.ts";
import type { LayoutStore } from "../store/layout-store.ts";
import { reachable } from "../store/reachable.ts";

/**
 * After an import that failed. Of a bundle that is refused nothing stays: what this run wrote is removed, but for what a
 * bundle of the index or another import needs by now. Where the bundle is not to blame (a full disk, Ctrl-C, an unreadable
 * medium), what was verified stays for the next run, and its mark keeps it from garbage collection.
 */
export async function abandonImport(
  store: LayoutStore,
  mark: RunningImport,
  written: readonly Digest[],
  error: unknown,
  logger: Logger,
): Promise<void> {
  try {
    if (written.length === 0) await mark.giveUp();
    else if (isFerryError(error) && ERROR_CODES[error.code] === EXIT.verification) {
      await takeBack(store, mark, written);
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    logger.warn(`what the refused import wrote was not removed (ferry gc does it later): ${why}`);
  }
}

async function takeBack(store: LayoutStore, mark: RunningImport, written: readonly Digest[]): Promise<void> {
  const lock = await store.lock("index", "taking back a refused import", 60_000);
  try {
    await mark.giveUp();
    const needed = await reachable(await store.readIndex(), (digest) => store.readSmall(digest));
    for (const { digests } of await importMarks(store)) for (const digest of digests) needed.add(digest);
    for (const digest of written) if (!needed.has(digest)) await store.delete(digest);
  } finally {
    await lock.release();
  }
}
