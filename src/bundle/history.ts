import type { LayoutStore } from "../store/layout-store.ts";
import { Index } from "../wire/oci.ts";
import type { RenderedBundle } from "./manifest.ts";
import type { KnownFile } from "./replaced.ts";
import { bundleEntries, mergeBundle, refName } from "./store-index.ts";
import { readStoredDocument } from "./store-record.ts";

/** Files of every bundle that this store has built, by which a replaced asset is noticed without a lock. */
export async function earlierBundles(
  store: LayoutStore,
): Promise<{ where: string; files: readonly KnownFile[] }[]> {
  const earlier: { where: string; files: readonly KnownFile[] }[] = [];
  for (const entry of bundleEntries(await store.readIndex())) {
    const document = await readStoredDocument(store, entry);
    earlier.push({
      where: `bundle ${document.name} ${document.counter}, built from this store`,
      files: document.files,
    });
  }
  return earlier;
}

/**
 * Adds a bundle's metadata to the store and its manifests to the store's index, in place of an older one of the same
 * name and counter. The store is an OCI layout that holds every bundle built from it, so nothing that they name is garbage.
 * What an importer noted on the very same bundle stays.
 */
export async function rememberBundle(store: LayoutStore, rendered: RenderedBundle): Promise<void> {
  const { signature } = rendered;
  const small = [rendered.documentBytes, rendered.manifestBytes];
  if (signature !== undefined) small.push(signature.manifest, signature.config, signature.payload);
  for (const bytes of small) await store.putSmall(bytes);
  const added = Index.parse(JSON.parse(rendered.indexBytes.toString("utf8"))).manifests;
  await store.updateIndex((index) => {
    const known = new Map(index.manifests.map((entry) => [`${entry.digest} ${refName(entry)}`, entry]));
    return mergeBundle(
      index,
      added.map((entry) => known.get(`${entry.digest} ${refName(entry)}`) ?? entry),
    );
  });
}
