import type { ServerResponse } from "node:http";
import type { Digest } from "../src/lib/digest.ts";

/** A file of the catalog as it is served. A request's path never becomes a file name: the catalog maps paths to this. */
export interface ServedBlob {
  digest: Digest;
  /** Bytes. */
  size: number;
  /** The blob in the store: an absolute path. */
  file: string;
  /** Decoded file name, for Content-Disposition. */
  name: string;
  contentType: string;
  /** Upload time at the origin, for Last-Modified. */
  modified: Date;
}

/**
 * One way of moving a blob's bytes onto a response whose head has been decided: a read stream, Linux sendfile, or a header
 * that lets nginx do it. One contract suite (test/contract/blob-sender.ts) runs against each.
 */
export interface BodySender {
  readonly kind: "stream" | "sendfile" | "accel";
  /**
   * Sends bytes `start` to `end` (inclusive) and ends the response. Resolves with the number of bytes handed to the
   * socket; rejects when the client went away, stalled longer than allowed, or the file is shorter than it must be.
   */
  send(response: ServerResponse, blob: ServedBlob, range: { start: number; end: number }): Promise<number>;
}
