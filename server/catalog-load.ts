import { bundleEntries } from "../src/bundle/store-index.ts";
import { type FerryError, isFerryError } from "../src/errors.ts";
import type { Digest } from "../src/lib/digest.ts";
import { isAbsent } from "../src/store/blob-reader.ts";
import type { Index } from "../src/wire/oci.ts";
import { buildCatalog, type Catalog } from "./catalog.ts";
import { type LoadedBundle, loadBundle } from "./catalog-bundle.ts";
import type { StoreView } from "./store-view.ts";

/** A store as read: what can be served, and what could not be read of it. */
export interface LoadedCatalog {
  catalog: Catalog;
  problems: readonly FerryError[];
}

/**
 * Makes a catalog of what the store holds now. A bundle whose record is damaged is left out and named in `problems`.
 * Documents are named by their digest, so those of `before` are not read again. A store without an index is an empty one,
 * unless it had one `before`. Throws STORE_DAMAGED where the index itself cannot be read.
 */
export async function loadCatalog(store: StoreView, before?: Catalog): Promise<LoadedCatalog> {
  const index = await readIndex(store, before);
  const known = new Map<Digest, LoadedBundle>(
    (before?.bundles ?? []).map((bundle) => [bundle.manifest.digest, bundle]),
  );
  // Listed while the documents are read: contents are there before the index names them.
  const listing = store.present();
  listing.catch(() => undefined);
  const loaded: LoadedBundle[] = [];
  const problems: FerryError[] = [];
  for (const entry of bundleEntries(index)) {
    try {
      loaded.push(await loadBundle(store, index, entry, known.get(entry.digest)));
    } catch (error) {
      if (!isFerryError(error)) throw error;
      problems.push(error);
    }
  }
  return { catalog: buildCatalog(loaded, { pathOf: store.pathOf, present: await listing }), problems };
}

async function readIndex(store: StoreView, before: Catalog | undefined): Promise<Index> {
  try {
    return await store.readIndex();
  } catch (error) {
    if (before === undefined && isFerryError(error) && isAbsent(error.cause)) {
      return { schemaVersion: 2, manifests: [] };
    }
    throw error;
  }
}
