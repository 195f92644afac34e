import type { IncomingMessage } from "node:http";
import { hexOf } from "../../src/lib/digest.ts";
import type { BodySender } from "../blob-sender.ts";
import { openBlob } from "./open-blob.ts";

/** The header by which the nginx in front says that it understands the answer (see deploy/nginx.conf). */
export const ACCEL_HEADER = "x-ferry-accel";
/** nginx's internal location for the store's `blobs/` folder. */
const LOCATION = "/_blobs/sha256/";

/**
 * Answers with the blob's place, and nginx moves the bytes, ranges included (`X-Accel-Redirect`).
 * What nginx would judge otherwise than we do, and whoever came past it, is served by `embedded`: an answer without a
 * body must never reach a client.
 */
export function createAccelSender(embedded: BodySender): BodySender {
  return {
    kind: "accel",
    send: async (response, blob, range) => {
      if (!nginxAgrees(response.req, response.statusCode)) return embedded.send(response, blob, range);
      await (await openBlob(blob)).close();
      // With a whole file nginx says it once more by itself, with a part it does not.
      if (response.statusCode === 200) response.removeHeader("Accept-Ranges");
      response.statusCode = 200;
      response.removeHeader("Content-Range");
      response.setHeader("Content-Length", 0);
      response.setHeader("X-Accel-Redirect", `${LOCATION}${hexOf(blob.digest)}`);
      response.end();
      return range.end + 1 - range.start;
    },
  };
}

function nginxAgrees({ headers }: IncomingMessage, status: number): boolean {
  if (headers[ACCEL_HEADER] !== "nginx") return false;
  // nginx compares these with a tag and a time of its own before it learns of ours.
  if (headers["if-match"] !== undefined || headers["if-unmodified-since"] !== undefined) return false;
  if (headers.range === undefined) return true;
  // Of a header that asks for nothing we would send a part of, nginx may think differently.
  return status === 206 && /^bytes=\d{0,15}-\d{0,15}$/.test(headers.range);
}
