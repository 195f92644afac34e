import { BundleDocument } from "../src/bundle/document.ts";
import { readSignatures } from "../src/bundle/signature-blobs.ts";
import { callBundle, signatureEntry } from "../src/bundle/store-index.ts";
import { FerryError } from "../src/errors.ts";
import { type Digest, hexOf } from "../src/lib/digest.ts";
import type { ClaimedSignature } from "../src/trust/cosign.ts";
import { type Descriptor, type Index, Manifest } from "../src/wire/oci.ts";
import {
  ANNOTATION_IMPORTED_AT,
  ANNOTATION_SIGNED_BY,
  ANNOTATION_YIELDS,
  DOES_YIELD,
  SIGNED_BY_NOBODY,
} from "../src/wire/store-annotations.ts";
import type { StoreView } from "./store-view.ts";

/** A bundle of the store with its metadata, as imported. */
export interface LoadedBundle {
  document: BundleDocument;
  manifest: Descriptor;
  documentDigest: Digest;
  /** ISO 8601; undefined where the bundle was built into this store and never imported. */
  importedAt: string | undefined;
  /** Where it and an earlier bundle carry one path with different bytes, the earlier one's are served. */
  yields: boolean;
  /** Ids of the trusted keys that signed, as the importer noted; empty for `unsigned`; undefined where nobody checked. */
  signedBy: readonly string[] | undefined;
  /** The signatures themselves, for nodes that trust a key and not the mirror. */
  signatures: readonly ClaimedSignature[];
  /** The manifest that carries the signatures; undefined where there is none. */
  signatureManifest: Digest | undefined;
}

/** Reads one bundle's metadata. Throws STORE_DAMAGED naming the bundle. `known` spares reading a document twice. */
export async function loadBundle(
  store: StoreView,
  index: Index,
  entry: Descriptor,
  known?: LoadedBundle,
): Promise<LoadedBundle> {
  const signedBy = entry.annotations?.[ANNOTATION_SIGNED_BY];
  const name = callBundle(entry);
  const signature = signatureEntry(index, entry.digest);
  try {
    const metadata = known ?? (await readMetadata(store, entry.digest));
    return {
      document: metadata.document,
      documentDigest: metadata.documentDigest,
      manifest: entry,
      importedAt: entry.annotations?.[ANNOTATION_IMPORTED_AT],
      yields: entry.annotations?.[ANNOTATION_YIELDS] === DOES_YIELD,
      signedBy: signedBy === undefined ? undefined : keyIds(signedBy),
      signatures: signature === undefined ? [] : await signaturesOf(store, entry.digest, signature.digest),
      signatureManifest: signature?.digest,
    };
  } catch (cause) {
    throw new FerryError(
      "STORE_DAMAGED",
      `the store's record of bundle ${name} cannot be read: ${why(cause)}`,
      {
        cause,
        hint: "Import the bundle again: what is there and good is not written twice.",
        details: { bundle: name, manifest: entry.digest },
      },
    );
  }
}

const ConfigOnly = Manifest.pick({ config: true });

async function readMetadata(
  store: StoreView,
  digest: Digest,
): Promise<{ document: BundleDocument; documentDigest: Digest }> {
  const { config } = ConfigOnly.parse(
    JSON.parse(withoutLayers((await store.readSmall(digest)).toString("utf8"))),
  );
  const bytes = await store.readSmall(config.digest);
  return {
    document: BundleDocument.parse(JSON.parse(bytes.toString("utf8"))),
    documentDigest: config.digest,
  };
}

/**
 * A manifest up to its layers, of which the document says the same and more. Canonical JSON has them after `config`, and
 * near the end; of a hundred thousand they are most of what there is to parse. Any other JSON comes back as it is.
 */
function withoutLayers(manifest: string): string {
  const layers = manifest.indexOf(',"layers":[');
  return layers === -1 || !manifest.slice(0, layers).includes('"config":')
    ? manifest
    : `${manifest.slice(0, layers)}}`;
}

async function signaturesOf(
  store: StoreView,
  manifest: Digest,
  signature: Digest,
): Promise<ClaimedSignature[]> {
  const found = readSignatures(await store.readSmall(signature), manifest);
  if (typeof found === "string") throw new Error(`its signature ${hexOf(signature)}: ${found}`);
  return found;
}

function keyIds(text: string): string[] {
  return text === SIGNED_BY_NOBODY ? [] : text.split(",").filter((id) => id !== "");
}

function why(cause: unknown): string {
  return cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause);
}
