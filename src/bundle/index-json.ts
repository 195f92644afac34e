import { canonicalJson } from "../lib/canonical-json.ts";
import { digestOf } from "../lib/digest.ts";
import { printable } from "../lib/printable.ts";
import { ANNOTATION_KIND, KIND_IMAGE, KIND_SIGNATURES, signatureTag } from "../trust/cosign.ts";
import {
  ANNOTATION_REF_NAME,
  type Descriptor,
  Index,
  MEDIA_TYPE_INDEX,
  MEDIA_TYPE_MANIFEST,
} from "../wire/oci.ts";
import { BUNDLE_ARTIFACT_TYPE, type BundleDocument } from "./document.ts";
import { parseMetadata } from "./parse-metadata.ts";

/**
 * The bytes of `index.json`: the bundle's manifest and, where it is signed, its signature's. A function of the two, so
 * a reader renders it again and compares: no signature covers `index.json`, and yet no bit of it can change.
 */
export function renderIndex(
  document: Pick<BundleDocument, "name" | "counter">,
  manifest: Buffer,
  signature: Buffer | undefined,
): Buffer {
  const entries = [
    {
      ...describe(manifest),
      artifactType: BUNDLE_ARTIFACT_TYPE,
      annotations: {
        [ANNOTATION_KIND]: KIND_IMAGE,
        [ANNOTATION_REF_NAME]: `${document.name}-${document.counter}`,
      },
    },
  ];
  const signatures =
    signature === undefined
      ? []
      : [
          {
            ...describe(signature),
            annotations: {
              [ANNOTATION_KIND]: KIND_SIGNATURES,
              [ANNOTATION_REF_NAME]: signatureTag(digestOf(manifest)),
            },
          },
        ];
  return Buffer.from(
    canonicalJson({ schemaVersion: 2, mediaType: MEDIA_TYPE_INDEX, manifests: [...entries, ...signatures] }),
  );
}

/** Where the metadata is, as `index.json` claims before anything is verified. */
export interface IndexClaims {
  manifest: Descriptor;
  signature: Descriptor | undefined;
}

/** Reads `index.json` as far as finding the manifests needs, or says in a sentence why it is not one of a bundle. */
export function readIndex(bytes: Buffer): IndexClaims | string {
  const parsed = parseMetadata(Index, bytes, "index.json");
  if (typeof parsed === "string") return parsed;
  const [manifest, signature, ...more] = parsed.manifests;
  if (manifest === undefined) return "index.json lists no manifest";
  if (more.length > 0) {
    return `index.json lists ${parsed.manifests.length} manifests, expected the bundle and its signature`;
  }
  if (manifest.artifactType !== BUNDLE_ARTIFACT_TYPE) {
    return `index.json lists ${printable(manifest.artifactType ?? "an image")}, expected ${BUNDLE_ARTIFACT_TYPE}: this is another kind of OCI layout`;
  }
  return { manifest, signature };
}

function describe(bytes: Buffer): Pick<Descriptor, "mediaType" | "digest" | "size"> {
  return { mediaType: MEDIA_TYPE_MANIFEST, digest: digestOf(bytes), size: bytes.length };
}
