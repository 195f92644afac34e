import type { Digest } from "../lib/digest.ts";

/** One file of a bundle as it is met: `index.json`, `oci-layout` or `blobs/sha256/<hex>`. */
export interface BundleEntry {
  /** Name relative to the layout, without `./`. Never absolute, never with `..`: such names are refused by the source. */
  name: string;
  size: number;
  /** The whole of a small entry (at most 64 MiB, else BUNDLE_MALFORMED). */
  bytes(): Promise<Buffer>;
  /** Streams the content, one chunk after the other. */
  stream(): AsyncIterable<Uint8Array>;
  /** SHA-256 of the content, computed in a worker where the source is seekable. Throws BUNDLE_TRUNCATED when it ends early. */
  digest(): Promise<Digest>;
}

/**
 * A bundle being read: a tar file, a folder, or a stream (standard input).
 * Of a stream each entry must be consumed (bytes, stream or digest) before the next is asked for; what was not is skipped.
 * A seekable source lets several entries be read at once. The input is never modified.
 */
export interface BundleSource {
  /** How errors call it: the path, or `standard input`. */
  readonly label: string;
  readonly seekable: boolean;
  entries(): AsyncIterable<BundleEntry>;
  close(): Promise<void>;
}
