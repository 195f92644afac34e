import { FerryError } from "../errors.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { type Digest, digestOf } from "../lib/digest.ts";
import { signManifest } from "../trust/cosign.ts";
import type { Signer } from "../trust/signer.ts";
import {
  ANNOTATION_TITLE,
  blobName,
  IMAGE_LAYOUT_JSON,
  INDEX_FILE,
  LAYOUT_FILE,
  Manifest,
  MEDIA_TYPE_MANIFEST,
} from "../wire/oci.ts";
import { type CarriedBlob, carriedBlobs } from "./carried-blobs.ts";
import { checkDocument } from "./check-document.ts";
import { BUNDLE_ARTIFACT_TYPE, type BundleDocument, DOCUMENT_MEDIA_TYPE } from "./document.ts";
import { renderIndex } from "./index-json.ts";
import { parseMetadata } from "./parse-metadata.ts";
import { renderSignatures, type SignatureBlobs } from "./signature-blobs.ts";

/** Carried files keep their own format; nobody should unpack them as image layers. */
const FILE_MEDIA_TYPE = "application/octet-stream";
const ANNOTATION_CREATED = "org.opencontainers.image.created";
const ANNOTATION_VERSION = "org.opencontainers.image.version";

/** A small file of a bundle, by its name in the layout. */
export interface MetadataFile {
  name: string;
  bytes: Buffer;
}

/** Everything of a bundle but the carried files. Equal documents and keys give equal bytes, wherever and whenever. */
export interface RenderedBundle {
  documentBytes: Buffer;
  documentDigest: Digest;
  manifestBytes: Buffer;
  manifestDigest: Digest;
  /** undefined where nobody signed. */
  signature: SignatureBlobs | undefined;
  indexBytes: Buffer;
  layoutBytes: Buffer;
  /** The files that lead a bundle's tar, in their order: `oci-layout`, `index.json`, manifest, document, signature blobs. */
  metadata: MetadataFile[];
  /** The contents that follow them, sorted by digest. */
  blobs: CarriedBlob[];
}

/** Renders a bundle's metadata and signs it. `document.files` may come in any order. A document that contradicts itself is a fault of ours: INTERNAL. */
export function renderBundle(document: BundleDocument, signers: readonly Signer[]): RenderedBundle {
  const problems = checkDocument(document);
  if (problems.length > 0) {
    throw new FerryError("INTERNAL", `the document contradicts itself: ${problems.join("; ")}`, {
      hint: "This is a fault of engine-ferry. Please report it with the spec.",
    });
  }
  const documentBytes = renderDocument(document);
  const manifestBytes = renderManifest(document, documentBytes);
  const manifestDigest = digestOf(manifestBytes);
  const signature =
    signers.length === 0
      ? undefined
      : renderSignatures(manifestDigest, signManifest(manifestDigest, signers));
  const indexBytes = renderIndex(document, manifestBytes, signature?.manifest);
  const layoutBytes = Buffer.from(IMAGE_LAYOUT_JSON);
  const signatureBlobs =
    signature === undefined ? [] : [signature.manifest, signature.config, signature.payload];
  return {
    documentBytes,
    documentDigest: digestOf(documentBytes),
    manifestBytes,
    manifestDigest,
    signature,
    indexBytes,
    layoutBytes,
    metadata: [
      { name: LAYOUT_FILE, bytes: layoutBytes },
      { name: INDEX_FILE, bytes: indexBytes },
      ...[manifestBytes, documentBytes, ...signatureBlobs].map((bytes) => ({
        name: blobName(digestOf(bytes)),
        bytes,
      })),
    ],
    blobs: carriedBlobs(document.files),
  };
}

/** The document's bytes: canonical JSON with the files sorted by path. */
function renderDocument(document: BundleDocument): Buffer {
  const files = [...document.files].sort((a, b) => (a.path < b.path ? -1 : 1));
  return Buffer.from(canonicalJson({ ...document, files }));
}

/**
 * The manifest's bytes: a function of the document alone, so a reader renders it again and compares. One layer a distinct
 * content, titled with the first of its mirror paths; the document holds the others.
 */
export function renderManifest(document: BundleDocument, documentBytes: Buffer): Buffer {
  return Buffer.from(
    canonicalJson({
      schemaVersion: 2,
      mediaType: MEDIA_TYPE_MANIFEST,
      artifactType: BUNDLE_ARTIFACT_TYPE,
      config: { mediaType: DOCUMENT_MEDIA_TYPE, digest: digestOf(documentBytes), size: documentBytes.length },
      layers: carriedBlobs(document.files).map(({ digest, size, paths }) => ({
        mediaType: FILE_MEDIA_TYPE,
        digest,
        size,
        annotations: { [ANNOTATION_TITLE]: paths[0] ?? "" },
      })),
      annotations: {
        [ANNOTATION_TITLE]: document.name,
        [ANNOTATION_VERSION]: String(document.counter),
        [ANNOTATION_CREATED]: document.created,
      },
    }),
  );
}

/** A manifest as far as finding the document needs, or a sentence saying why it is none. */
export function readManifest(bytes: Buffer): Manifest | string {
  return parseMetadata(Manifest, bytes, "its manifest");
}
