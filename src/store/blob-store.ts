import type { Readable } from "node:stream";
import type { Digest } from "../lib/digest.ts";

/**
 * Content-addressed storage. Whatever `stat` finds was put there under its digest, but a file's existence proves nothing
 * about its bytes: `verify` re-hashes, and whoever ships a blob calls it first.
 * One contract suite (`test/contract/blob-store.ts`) runs against every implementation.
 */
export interface BlobStore {
  /** Size in bytes of a held blob, or undefined. */
  stat(digest: Digest): Promise<number | undefined>;
  /** The blob's bytes, from `start` (inclusive) to `end` (inclusive). Throws STORE_DAMAGED where it is absent. */
  read(digest: Digest, range?: { start: number; end: number }): Readable;
  /** The whole of a small blob (documents, manifests), hashed on the way: STORE_DAMAGED when it is not what it should be. */
  readSmall(digest: Digest): Promise<Buffer>;
  /** Stores small content and returns its digest. Idempotent. */
  putSmall(content: Uint8Array): Promise<Digest>;
  /**
   * Stores a stream of the announced size. Nothing is under the final name until size and digest agree;
   * otherwise SIZE_MISMATCH or DIGEST_MISMATCH and nothing stays. `what` names the file in errors.
   */
  putStream(
    content: AsyncIterable<Uint8Array>,
    expected: { digest: Digest; size: number },
    what: string,
  ): Promise<void>;
  /** Re-hashes a held blob. `damaged` ones have other bytes or another size than their name says. */
  verify(digest: Digest, size: number): Promise<"ok" | "damaged" | "absent">;
  delete(digest: Digest): Promise<void>;
  list(): AsyncIterable<{ digest: Digest; size: number }>;
}

/** A store whose blobs are files that others may link to, serve, or download into. */
export interface LocalBlobStore extends BlobStore {
  /** Root of the OCI layout. */
  readonly root: string;
  /** Where the blob is, or would be: `ROOT/blobs/sha256/<hex>`. */
  pathOf(digest: Digest): string;
  /** Where an unfinished download of this key lives between runs: `ROOT/ferry/partial/<key>` (folder exists). */
  partialPath(key: string): Promise<string>;
  /**
   * Moves a finished file of this file system under its final name. The caller has verified size and digest while
   * writing it; flushes it first, so that a crash cannot leave a torn blob under the name.
   */
  adopt(path: string, digest: Digest): Promise<void>;
}
