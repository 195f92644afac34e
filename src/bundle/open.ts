import type { BundleSource } from "../archive/bundle-source.ts";
import { FerryError } from "../errors.ts";
import { type Digest, digestOf } from "../lib/digest.ts";
import type { ClaimedSignature } from "../trust/cosign.ts";
import { type KeyRef, keyRefFromFingerprint } from "../trust/key-id.ts";
import { judgeSignatures } from "../trust/policy.ts";
import type { Verifier } from "../trust/verifier.ts";
import { blobName, IMAGE_LAYOUT_JSON, INDEX_FILE, LAYOUT_FILE } from "../wire/oci.ts";
import { malformed } from "./bundle-faults.ts";
import { type BundleFile, bundleFiles } from "./bundle-files.ts";
import { type CarriedBlob, carriedBlobs } from "./carried-blobs.ts";
import type { BundleDocument } from "./document.ts";
import { type IndexClaims, readIndex, renderIndex } from "./index-json.ts";
import { type MetadataFile, readManifest, renderManifest } from "./manifest.ts";
import { type MetadataReader, readMetadata } from "./metadata-reader.ts";
import { readDocument } from "./read-document.ts";
import { readSignatures, renderSignatures } from "./signature-blobs.ts";

/**
 * `unsigned-ok` reads the metadata of any sound bundle, and `signedBy` is empty then: nothing may be installed from it.
 * `allowUnsigned` lets a bundle without any signature through; one that is signed must be signed by a trusted key all the same.
 */
export type BundleTrust = { verifiers: readonly Verifier[]; allowUnsigned?: boolean } | "unsigned-ok";

/** A bundle whose metadata has been read and verified. Its files are not verified yet: whoever takes them hashes them. */
export interface OpenedBundle {
  label: string;
  seekable: boolean;
  document: BundleDocument;
  manifestDigest: Digest;
  /** Trusted keys that signed, verified. */
  signedBy: KeyRef[];
  /** Keys that the signatures claim, unverified; empty where the bundle is unsigned. */
  claims: KeyRef[];
  /** The metadata as read, in the order of a bundle's tar: what an importer stores beside the files. */
  metadata: MetadataFile[];
  blobs: CarriedBlob[];
  /** See `bundleFiles`. Can be walked once. */
  files(): AsyncIterable<BundleFile>;
}

/**
 * Reads a bundle's metadata, and nothing else, from the front of a source. The signature over the manifest's digest is
 * checked before the manifest or the document is parsed. Everything derived is rendered again and compared byte for byte,
 * so that no bit of the metadata can differ from what the signer saw.
 * Throws SIGNATURE_MISSING, SIGNATURE_INVALID, BUNDLE_MALFORMED, BUNDLE_TRUNCATED, DIGEST_MISMATCH.
 */
export async function openBundle(source: BundleSource, trust: BundleTrust): Promise<OpenedBundle> {
  const { label } = source;
  const reader = await readMetadata(source);
  const layoutBytes = await reader.file(LAYOUT_FILE);
  if (layoutBytes.toString("utf8") !== IMAGE_LAYOUT_JSON) {
    throw malformed(label, `its ${LAYOUT_FILE} is not ${IMAGE_LAYOUT_JSON}`);
  }
  const indexBytes = await reader.file(INDEX_FILE);
  const claims = readIndex(indexBytes);
  if (typeof claims === "string") throw malformed(label, claims);

  const manifestBytes = await reader.blob(claims.manifest.digest, "its manifest");
  const signature = await readSignature(reader, claims, label);
  const signedBy = judge(signature, trust, label);
  const manifest = readManifest(manifestBytes);
  if (typeof manifest === "string") throw malformed(label, manifest);
  const documentBytes = await reader.blob(manifest.config.digest, "its document");
  const document = readDocument(documentBytes, label);
  if (!renderManifest(document, documentBytes).equals(manifestBytes)) {
    throw malformed(label, "its manifest does not list what its document names");
  }
  if (!renderIndex(document, manifestBytes, signature?.blobs[0]).equals(indexBytes)) {
    throw malformed(label, "its index.json is not the one of its manifest and signature");
  }
  const rest = reader.rest();
  const blobs = carriedBlobs(document.files);
  return {
    label,
    seekable: source.seekable,
    document,
    manifestDigest: claims.manifest.digest,
    signedBy,
    claims: (signature?.signatures ?? []).map(({ fingerprint }) => keyRefFromFingerprint(fingerprint)),
    metadata: [
      { name: LAYOUT_FILE, bytes: layoutBytes },
      { name: INDEX_FILE, bytes: indexBytes },
      ...[manifestBytes, documentBytes, ...(signature?.blobs ?? [])].map((bytes) => ({
        name: blobName(digestOf(bytes)),
        bytes,
      })),
    ],
    blobs,
    files: () => bundleFiles(label, blobs, rest),
  };
}

interface ReadSignature {
  signatures: ClaimedSignature[];
  payload: Buffer;
  /** Manifest, config, payload. */
  blobs: [Buffer, Buffer, Buffer];
}

async function readSignature(
  reader: MetadataReader,
  claims: IndexClaims,
  label: string,
): Promise<ReadSignature | undefined> {
  if (claims.signature === undefined) return undefined;
  const bytes = await reader.blob(claims.signature.digest, "its signature");
  const signatures = readSignatures(bytes, claims.manifest.digest);
  if (typeof signatures === "string") {
    throw new FerryError("SIGNATURE_INVALID", `${label}: ${signatures}`, {
      hint: "The bundle was put together from parts of others, or changed after it was signed. Do not use it.",
    });
  }
  const { config, payload } = renderSignatures(claims.manifest.digest, signatures);
  const blobs: [Buffer, Buffer, Buffer] = [
    bytes,
    await reader.blob(digestOf(config), "its signature's config"),
    await reader.blob(digestOf(payload), "its signature's payload"),
  ];
  return { signatures, payload, blobs };
}

function judge(signature: ReadSignature | undefined, trust: BundleTrust, label: string): KeyRef[] {
  if (trust === "unsigned-ok") return [];
  if (trust.verifiers.length === 0) {
    throw new FerryError("USAGE", `no key to verify ${label} with`, {
      hint: "Give the builder's public key: --key NAME.pub",
    });
  }
  if (signature === undefined) {
    if (trust.allowUnsigned === true) return [];
    throw new FerryError("SIGNATURE_MISSING", `${label} is not signed`, {
      hint: "Build it with --sign-key NAME.key. An unsigned bundle is never taken: anybody could have made it.",
      details: { trusted: trust.verifiers.map(({ keyId, fingerprint }) => ({ keyId, fingerprint })) },
    });
  }
  return judgeSignatures(signature.payload, signature.signatures, trust.verifiers, label);
}
