import { z } from "zod";
import type { Logger } from "../log.ts";
import type { LayoutStore } from "../store/layout-store.ts";
import { carriedBlobs } from "./carried-blobs.ts";
import { Sha256 } from "./document-values.ts";
import { presentBlobs } from "./store-bundles.ts";
import { readStoredBundles } from "./store-record.ts";

/** `ferry inventory --json`: what a mirror holds, to be carried back to the builder. Sizes are bytes. */
export const InventoryReport = z.strictObject({
  formatVersion: z.literal(1),
  bundles: z.array(z.strictObject({ name: z.string(), counter: z.int(), manifest: Sha256 })),
  /** Distinct contents that a bundle of this store names and that are here, sorted by digest. */
  contents: z.array(z.strictObject({ digest: Sha256, size: z.int() })),
});
export type InventoryReport = z.infer<typeof InventoryReport>;

/**
 * The contents that the store holds for its bundles. What no bundle names is left out, because garbage collection may take
 * it before the next bundle comes. Sizes are compared; bytes are not hashed (`scrub` does that).
 */
export async function takeInventory(store: LayoutStore, logger: Logger): Promise<InventoryReport> {
  const { bundles, unreadable } = await readStoredBundles(store, await store.readIndex());
  for (const { error } of unreadable) logger.warn(`${error.message}; what it names is not counted as held`);
  const { present, absent } = await presentBlobs(
    store,
    carriedBlobs(bundles.flatMap(({ document }) => document.files)),
  );
  if (absent.length > 0) {
    logger.warn(
      `${absent.length} contents are absent or cut, and not counted as held; ferry scrub names them`,
    );
  }
  return {
    formatVersion: 1,
    bundles: bundles.map(({ entry, document: { name, counter } }) => ({
      name,
      counter,
      manifest: entry.digest,
    })),
    contents: present.map(({ digest, size }) => ({ digest, size })),
  };
}
