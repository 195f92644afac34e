import { FerryError } from "../errors.ts";
import type { BlobStore } from "../store/blob-store.ts";
import type { LayoutStore } from "../store/layout-store.ts";
import { ANNOTATION_REF_NAME, type Descriptor, Index, Manifest } from "../wire/oci.ts";
import { BUNDLE_ARTIFACT_TYPE, BundleDocument } from "./document.ts";
import type { RenderedBundle } from "./manifest.ts";
import type { KnownFile } from "./replaced.ts";

/** Files of every bundle that this store has built, by which a replaced asset is noticed without a lock. */
export async function earlierBundles(store: LayoutStore): Promise<{ where: string; files: readonly KnownFile[] }[]> {
  const index = await store.readIndex();
  const earlier: { where: string; files: readonly KnownFile[] }[] = [];
  for (const entry of index.manifests) {
    if (entry.artifactType !== BUNDLE_ARTIFACT_TYPE) continue;
    const document = await readDocument(store, entry);
    earlier.push({ where: `bundle ${document.name} ${document.counter}, built from this store`, files: document.files });
  }
  return earlier;
}

/**
 * Adds a bundle's metadata to the store and its manifests to the store's index, in place of an older one of the same
 * name and counter. The store is an OCI layout that holds every bundle built from it, so nothing that they name is garbage.
 */
export async function rememberBundle(store: LayoutStore, rendered: RenderedBundle): Promise<void> {
  const { signature } = rendered;
  const small = [rendered.documentBytes, rendered.manifestBytes];
  if (signature !== undefined) small.push(signature.manifest, signature.config, signature.payload);
  for (const bytes of small) await store.putSmall(bytes);
  const added = Index.parse(JSON.parse(rendered.indexBytes.toString("utf8"))).manifests;
  const names = new Set(added.map(refName));
  await store.updateIndex((index) => {
    const replaced = index.manifests.filter((entry) => names.has(refName(entry))).map((entry) => `sha256-${entry.digest.slice(7)}.sig`);
    const dropped = new Set([...names, ...replaced]);
    return { ...index, manifests: [...index.manifests.filter((entry) => !dropped.has(refName(entry))), ...added] };
  });
}

function refName(entry: Descriptor): string {
  return entry.annotations?.[ANNOTATION_REF_NAME] ?? entry.digest;
}

async function readDocument(store: BlobStore, entry: Descriptor): Promise<BundleDocument> {
  try {
    const manifest = Manifest.parse(JSON.parse((await store.readSmall(entry.digest)).toString("utf8")));
    return BundleDocument.parse(JSON.parse((await store.readSmall(manifest.config.digest)).toString("utf8")));
  } catch (cause) {
    throw new FerryError("STORE_DAMAGED", `the store's record of bundle ${refName(entry)} cannot be read`, {
      cause,
      hint: "Choose another --store, or remove the entry from the store's index.json; the blobs are hashed again before use either way.",
    });
  }
}
