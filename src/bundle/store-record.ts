import { FerryError, isFerryError } from "../errors.ts";
import type { BlobStore } from "../store/blob-store.ts";
import { type Descriptor, type Index, Manifest } from "../wire/oci.ts";
import {
  ANNOTATION_IMPORTED_AT,
  ANNOTATION_YIELDS,
  DOES_YIELD,
  type Ranked,
} from "../wire/store-annotations.ts";
import { BundleDocument } from "./document.ts";
import { bundleEntries, callBundle, nameAndCounter } from "./store-index.ts";

/** Where records are read from. */
export type Records = Pick<BlobStore, "readSmall">;

/** A bundle as a store has it. */
export interface StoredBundle {
  entry: Descriptor;
  document: BundleDocument;
}

/** A bundle's document, every blob on the way hashed. Throws STORE_DAMAGED naming the bundle. */
export async function readStoredDocument(store: Records, entry: Descriptor): Promise<BundleDocument> {
  try {
    const manifest = Manifest.parse(JSON.parse((await store.readSmall(entry.digest)).toString("utf8")));
    return BundleDocument.parse(JSON.parse((await store.readSmall(manifest.config.digest)).toString("utf8")));
  } catch (cause) {
    const why = cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause);
    throw new FerryError(
      "STORE_DAMAGED",
      `the store's record of bundle ${callBundle(entry)} cannot be read: ${why}`,
      {
        cause,
        hint: `Take it out of the index with: ferry remove ${removable(entry)}; then import or build it again: what is there and good is not written twice.`,
        details: { bundle: callBundle(entry), manifest: entry.digest },
      },
    );
  }
}

/** How `ferry remove` calls it. */
function removable(entry: Descriptor): string {
  const { name, counter } = nameAndCounter(entry);
  return counter === 0 ? name : `${name}@${counter}`;
}

/** Every bundle of an index, and for each whose record cannot be read the STORE_DAMAGED that says so. */
export async function readStoredBundles(
  store: Records,
  index: Index,
): Promise<{ bundles: StoredBundle[]; unreadable: { entry: Descriptor; error: FerryError }[] }> {
  const bundles: StoredBundle[] = [];
  const unreadable: { entry: Descriptor; error: FerryError }[] = [];
  for (const entry of bundleEntries(index)) {
    try {
      bundles.push({ entry, document: await readStoredDocument(store, entry) });
    } catch (error) {
      if (!isFerryError(error)) throw error;
      unreadable.push({ entry, error });
    }
  }
  return { bundles, unreadable };
}

/** Where a bundle of the index stands among the others. */
export function rankOf(entry: Descriptor): Ranked {
  return {
    ...nameAndCounter(entry),
    importedAt: entry.annotations?.[ANNOTATION_IMPORTED_AT],
    yields: entry.annotations?.[ANNOTATION_YIELDS] === DOES_YIELD,
  };
}
