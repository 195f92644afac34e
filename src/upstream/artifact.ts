import type { Digest } from "../lib/digest.ts";

/** Why we believe a digest. Strongest first; the document records it for every file. */
export type TrustSource =
  /** Written in a recipe that somebody reviewed. */
  | "recipe"
  /** Published by GitHub's release API for the uploaded bytes. */
  | "github"
  /** In a checksum file of the same release. */
  | "checksum-file"
  /** Written by the operator in the spec. */
  | "spec"
  /** Published by the Python index for the file, and written into uv's lock. */
  | "index"
  /** Computed here from what was received: allowed by name in the spec, or of an index that publishes none. */
  | "computed"
  /** Taken out of a wheel that is carried and verified. */
  | "extracted"
  /** Written by this builder: a lock. */
  | "made";

/** One file to carry: where it comes from, where the mirror will serve it, and what its bytes must be. */
export interface Artifact {
  /** Path on the mirror without a leading slash, decoded: `astral-sh/uv/releases/download/0.12.23/uv-….tar.gz`. */
  path: string;
  /** Where the builder asks for it, percent-encoded. */
  url: string;
  /** Bytes. */
  size: number;
  /** undefined only for `computed`, until the file has been fetched. */
  digest: Digest | undefined;
  trust: TrustSource;
  /** Upload time at the origin, ISO 8601. */
  updatedAt: string;
  /** The release asset that it is; undefined for a source archive or a file of a Python index. */
  asset?: { repo: string; tag: string; id: number; name: string; contentType: string };
}
