import { canonicalJson } from "../lib/canonical-json.ts";
import { type Digest, hexOf } from "../lib/digest.ts";
import type { Signer } from "./signer.ts";

/**
 * What cosign signs, in its "simple signing" format, and how it calls the parts in an OCI layout.
 * Source: cosign's signature specification; `cosign verify --local-image` 2.5.3 accepts what is written so.
 */
export const MEDIA_TYPE_SIMPLE_SIGNING = "application/vnd.dev.cosign.simplesigning.v1+json";
export const ANNOTATION_SIGNATURE = "dev.cosignproject.cosign/signature";
export const ANNOTATION_KIND = "kind";
export const KIND_IMAGE = "dev.cosignproject.cosign/image";
export const KIND_SIGNATURES = "dev.cosignproject.cosign/sigs";

/** A signature with the key that it claims; a claim only, until it has been verified with that key. */
export interface ClaimedSignature {
  fingerprint: Digest;
  signature: Buffer;
}

/** The tag, or ref name, under which cosign looks for the signatures of a manifest. */
export function signatureTag(manifest: Digest): string {
  return `sha256-${hexOf(manifest)}.sig`;
}

/** The bytes that are signed: a statement that names the manifest's digest. */
export function signaturePayload(manifest: Digest): Buffer {
  const payload = {
    critical: {
      identity: { "docker-reference": "" },
      image: { "docker-manifest-digest": manifest },
      type: "cosign container image signature",
    },
    optional: null,
  };
  return Buffer.from(canonicalJson(payload));
}

/** Signs a manifest with every key, sorted by fingerprint; a key given twice signs once. */
export function signManifest(manifest: Digest, signers: readonly Signer[]): ClaimedSignature[] {
  const payload = signaturePayload(manifest);
  const byKey = new Map(signers.map((signer) => [signer.fingerprint, signer]));
  return [...byKey.values()]
    .map((signer) => ({ fingerprint: signer.fingerprint, signature: signer.sign(payload) }))
    .sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1));
}
