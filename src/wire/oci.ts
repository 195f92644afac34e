import { z } from "zod";
import { type Digest, hexOf, isDigest } from "../lib/digest.ts";

/** OCI image layout and manifest shapes, as far as bundles use them (image-spec 1.1). */
export const OCI_LAYOUT_VERSION = "1.0.0";
export const MEDIA_TYPE_INDEX = "application/vnd.oci.image.index.v1+json";
export const MEDIA_TYPE_MANIFEST = "application/vnd.oci.image.manifest.v1+json";
export const MEDIA_TYPE_CONFIG = "application/vnd.oci.image.config.v1+json";
export const ANNOTATION_TITLE = "org.opencontainers.image.title";
export const ANNOTATION_REF_NAME = "org.opencontainers.image.ref.name";

const OciDigest = z
  .string()
  .refine((text): text is Digest => isDigest(text), "must be sha256: and 64 hex digits");

export const Descriptor = z.object({
  mediaType: z.string(),
  digest: OciDigest,
  size: z.int().nonnegative(),
  annotations: z.record(z.string(), z.string()).optional(),
  artifactType: z.string().optional(),
});
export type Descriptor = z.infer<typeof Descriptor>;

export const Manifest = z.object({
  schemaVersion: z.literal(2),
  mediaType: z.literal(MEDIA_TYPE_MANIFEST),
  artifactType: z.string().optional(),
  config: Descriptor,
  layers: z.array(Descriptor),
  annotations: z.record(z.string(), z.string()).optional(),
});
export type Manifest = z.infer<typeof Manifest>;

export const Index = z.object({
  schemaVersion: z.literal(2),
  mediaType: z.literal(MEDIA_TYPE_INDEX).optional(),
  manifests: z.array(Descriptor),
});
export type Index = z.infer<typeof Index>;

export const ImageLayout = z.object({ imageLayoutVersion: z.literal(OCI_LAYOUT_VERSION) });

/** The files of a layout that are not blobs. */
export const LAYOUT_FILE = "oci-layout";
export const INDEX_FILE = "index.json";

/** The one spelling of `oci-layout` that we write. */
export const IMAGE_LAYOUT_JSON = `{"imageLayoutVersion":"${OCI_LAYOUT_VERSION}"}`;

const BLOB_PREFIX = "blobs/sha256/";

/** Name of a blob inside a layout: `blobs/sha256/<hex>`. */
export function blobName(digest: Digest): string {
  return `${BLOB_PREFIX}${hexOf(digest)}`;
}

/** The digest that a name inside a layout stands for, or undefined where it is no blob's name. */
export function parseBlobName(name: string): Digest | undefined {
  if (!name.startsWith(BLOB_PREFIX)) return undefined;
  const digest = `sha256:${name.slice(BLOB_PREFIX.length)}`;
  return isDigest(digest) ? digest : undefined;
}
