import type { IncomingMessage, ServerResponse } from "node:http";
import { isFerryError } from "../src/errors.ts";
import { hexOf } from "../src/lib/digest.ts";
import type { BodySender, ServedBlob } from "./blob-sender.ts";
import { attachment } from "./content-disposition.ts";
import { judge, rangeApplies, type Validators } from "./preconditions.ts";
import { evaluateRange } from "./range.ts";

export interface Sent {
  status: number;
  /** Bytes of body: handed to the socket, or left to nginx. */
  bytes: number;
}

/** A blob's bytes never change under its name, so caches need not ask again. */
export const CACHE_CONTROL = "public, max-age=31536000, immutable";

/**
 * Answers a GET or HEAD for a blob as RFC 9110 has it: 200, 206, 304, 412 or 416; never compressed, never redirected.
 * HEAD gives GET's headers (a Range with it counts for nothing). The request's path is not looked at.
 *
 * Rejects when the body did not go out whole: DeliveryError (the client left or stalled) or STORE_DAMAGED. The response
 * is over then too: its connection is cut, or, where the fault was seen before the head went out, it was a 500 in words.
 */
export async function sendBlob(
  request: IncomingMessage,
  response: ServerResponse,
  blob: ServedBlob,
  sender: BodySender,
  cacheControl = CACHE_CONTROL,
): Promise<Sent> {
  const validators = { etag: `"${hexOf(blob.digest)}"`, modified: blob.modified };
  response.setHeader("ETag", validators.etag);
  response.setHeader("Last-Modified", blob.modified.toUTCString());
  response.setHeader("Accept-Ranges", "bytes");
  response.setHeader("Cache-Control", cacheControl);

  const verdict = judge(request.headers, validators);
  if (verdict === "not-modified") return finish(response, 304);
  if (verdict === "failed") return finishEmpty(response, 412);
  const range = evaluateRange(rangeOf(request, validators), blob.size);
  if (range.kind === "unsatisfiable") {
    response.setHeader("Content-Range", `bytes */${blob.size}`);
    return finishEmpty(response, 416);
  }

  const part = range.kind === "part" ? range : { start: 0, end: blob.size - 1 };
  const status = range.kind === "part" ? 206 : 200;
  describeBody(response, blob, status, part);
  if (request.method === "HEAD" || blob.size === 0) return finish(response, status);
  response.statusCode = status;
  try {
    return { status, bytes: await sender.send(response, blob, part) };
  } catch (error) {
    if (!response.headersSent && !response.destroyed) answerUnreadable(response, error);
    throw error;
  }
}

function describeBody(
  response: ServerResponse,
  blob: ServedBlob,
  status: 200 | 206,
  { start, end }: { start: number; end: number },
): void {
  response.setHeader("Content-Length", end + 1 - start);
  response.setHeader("Content-Type", blob.contentType);
  response.setHeader("Content-Disposition", attachment(blob.name));
  response.setHeader("X-Content-Type-Options", "nosniff");
  if (status === 206) response.setHeader("Content-Range", `bytes ${start}-${end}/${blob.size}`);
}

/** The Range header where it counts: with GET alone, and with an If-Range only when that names this very answer. */
function rangeOf({ method, headers }: IncomingMessage, validators: Validators): string | undefined {
  const ifRange = headers["if-range"];
  const applies =
    method === "GET" && rangeApplies(typeof ifRange === "string" ? ifRange : ifRange?.[0], validators);
  return applies ? headers.range : undefined;
}

function finish(response: ServerResponse, status: number): Sent {
  response.statusCode = status;
  response.end();
  return { status, bytes: 0 };
}

/** An answer about this one request, which no cache may keep. It has no body, lest a resuming client appends it. */
function finishEmpty(response: ServerResponse, status: number): Sent {
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("Content-Length", 0);
  return finish(response, status);
}

function answerUnreadable(response: ServerResponse, error: unknown): void {
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  const words = isFerryError(error) ? [error.message, error.hint] : ["the file cannot be read"];
  const text = Buffer.from(`${words.filter((line) => line !== undefined).join("\n")}\n`);
  response.statusCode = 500;
  response.setHeader("Content-Type", "text/plain; charset=utf-8");
  response.setHeader("Content-Length", text.length);
  response.setHeader("Cache-Control", "no-store");
  response.end(text);
}
