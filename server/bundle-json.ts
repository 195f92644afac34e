import { keyRefFromFingerprint } from "../src/trust/key-id.ts";
import type { Catalog, CatalogBundle } from "./catalog.ts";

/** A bundle as `/v1/bundles` shows it. Sizes are bytes, times ISO 8601. */
export function bundleJson(bundle: CatalogBundle, base: string): unknown {
  const { document, manifest, documentDigest, importedAt, signedBy, signatures, absent } = bundle;
  const self = `${base}/v1/bundles/${document.name}-${document.counter}`;
  return {
    name: document.name,
    counter: document.counter,
    created: document.created,
    imported: importedAt ?? null,
    /** Ids of the keys that the importer trusted and verified; null where nobody noted it. */
    signedBy: signedBy ?? null,
    manifest: { digest: manifest.digest, url: `${self}/manifest` },
    document: { digest: documentDigest, url: `${self}/document` },
    payload: signatures.length === 0 ? null : { url: `${self}/payload` },
    signatures: signatures.map(({ fingerprint }) => {
      const { keyId } = keyRefFromFingerprint(fingerprint);
      return { keyId, fingerprint, url: `${self}/signatures/${keyId}` };
    }),
    files: document.files.length,
    blobs: bundle.blobs,
    bytes: bundle.bytes,
    notImportedYet: absent,
  };
}

/** `/v1/inventory`, in the shape of `ferry inventory --json`: what is here, for a builder who sends only what is not. */
export function inventoryJson(catalog: Catalog): unknown {
  return {
    formatVersion: 1,
    bundles: catalog.bundles.map(({ document, manifest }) => ({
      name: document.name,
      counter: document.counter,
      manifest: manifest.digest,
    })),
    contents: catalog.contents(),
  };
}

/** A bundle by `NAME-COUNTER`, or by `NAME`: its highest counter. */
export function findBundle({ bundles }: Catalog, name: string): CatalogBundle | undefined {
  const exact = bundles.find(({ document }) => `${document.name}-${document.counter}` === name);
  if (exact !== undefined) return exact;
  return bundles
    .filter(({ document }) => document.name === name)
    .sort((a, b) => b.document.counter - a.document.counter)[0];
}
