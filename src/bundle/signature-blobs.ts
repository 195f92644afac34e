import { z } from "zod";
import { canonicalJson } from "../lib/canonical-json.ts";
import { type Digest, digestOf } from "../lib/digest.ts";
import {
  ANNOTATION_SIGNATURE,
  type ClaimedSignature,
  MEDIA_TYPE_SIMPLE_SIGNING,
  signaturePayload,
} from "../trust/cosign.ts";
import { type Descriptor, Manifest, MEDIA_TYPE_CONFIG, MEDIA_TYPE_MANIFEST } from "../wire/oci.ts";
import { Sha256 } from "./document-values.ts";
import { parseMetadata } from "./parse-metadata.ts";

/** Names the key of a signature, so that an error can say who signed. cosign passes over it. */
export const ANNOTATION_KEY = "engine-ferry.key-fingerprint";

/** The blobs that carry the signatures of one manifest: an OCI manifest with one layer a signature. */
export interface SignatureBlobs {
  manifest: Buffer;
  config: Buffer;
  payload: Buffer;
}

/** Everything but the signatures follows from the signed digest, so a reader renders it again and compares. */
export function renderSignatures(manifest: Digest, signatures: readonly ClaimedSignature[]): SignatureBlobs {
  const payload = signaturePayload(manifest);
  const config = Buffer.from(
    canonicalJson({
      architecture: "",
      config: {},
      os: "",
      rootfs: { type: "layers", diff_ids: signatures.map(() => digestOf(payload)) },
    }),
  );
  const layers = signatures.map(({ fingerprint, signature }) => ({
    ...describe(payload, MEDIA_TYPE_SIMPLE_SIGNING),
    annotations: { [ANNOTATION_SIGNATURE]: signature.toString("base64"), [ANNOTATION_KEY]: fingerprint },
  }));
  const rendered = {
    schemaVersion: 2,
    mediaType: MEDIA_TYPE_MANIFEST,
    config: describe(config, MEDIA_TYPE_CONFIG),
    layers,
  };
  return { manifest: Buffer.from(canonicalJson(rendered)), config, payload };
}

const SignatureManifest = Manifest.extend({
  layers: z
    .array(
      z.object({ annotations: z.object({ [ANNOTATION_SIGNATURE]: z.base64(), [ANNOTATION_KEY]: Sha256 }) }),
    )
    .min(1),
});

/**
 * The signatures in a signature manifest, unverified, or a sentence saying why it is not one of the given manifest:
 * it must be, byte for byte, what `renderSignatures` writes for that digest.
 */
export function readSignatures(bytes: Buffer, manifest: Digest): ClaimedSignature[] | string {
  const parsed = parseMetadata(SignatureManifest, bytes, "the signature");
  if (typeof parsed === "string") return parsed;
  const signatures = parsed.layers.map(({ annotations }) => ({
    fingerprint: annotations[ANNOTATION_KEY],
    signature: Buffer.from(annotations[ANNOTATION_SIGNATURE], "base64"),
  }));
  if (new Set(signatures.map(({ fingerprint }) => fingerprint)).size !== signatures.length) {
    return "the signature names a key twice";
  }
  if (!renderSignatures(manifest, signatures).manifest.equals(bytes)) {
    return `the signature is not one of this bundle's manifest (${manifest})`;
  }
  return signatures;
}

function describe(bytes: Buffer, mediaType: string): Pick<Descriptor, "mediaType" | "digest" | "size"> {
  return { mediaType, digest: digestOf(bytes), size: bytes.length };
}
