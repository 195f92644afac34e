import type { IncomingMessage } from "node:http";
import { digestOf, hexOf } from "../src/lib/digest.ts";
import type { ServedBlob } from "./blob-sender.ts";
import { attachment } from "./content-disposition.ts";
import type { Rendered } from "./rendered.ts";
import { CACHE_CONTROL } from "./send-blob.ts";
import { openBlob } from "./senders/open-blob.ts";

/** Resolvers ask for the metadata of every package, and that is some thousand bytes each. */
const SMALL = 64 * 1024;

/** Whether a file is kept in memory once it was asked for, as rendered answers are: a wheel's metadata alone. */
export function isKept({ name, size }: ServedBlob): boolean {
  return size <= SMALL && name.endsWith(".whl.metadata");
}

/** Whether a request asks for all of a file, whatever it was before; If-None-Match every answer heeds. */
export function asksForWhole({ headers }: IncomingMessage): boolean {
  return (
    headers.range === undefined &&
    headers["if-match"] === undefined &&
    headers["if-modified-since"] === undefined &&
    headers["if-unmodified-since"] === undefined
  );
}

/**
 * A file as an answer to be kept, with the headers that it is sent with otherwise; undefined where the store's copy is not
 * what it must be, or cannot be read. `fixed`: its address will never mean other bytes.
 */
export async function renderFile(blob: ServedBlob, fixed: boolean): Promise<Rendered | undefined> {
  const body = await read(blob);
  if (body === undefined || digestOf(body) !== blob.digest) return undefined;
  return {
    contentType: blob.contentType,
    body,
    etag: `"${hexOf(blob.digest)}"`,
    headers: {
      "last-modified": blob.modified.toUTCString(),
      "accept-ranges": "bytes",
      "cache-control": fixed ? CACHE_CONTROL : "no-cache",
      "content-disposition": attachment(blob.name),
    },
    file: true,
  };
}

async function read(blob: ServedBlob): Promise<Buffer | undefined> {
  try {
    const handle = await openBlob(blob);
    try {
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch {
    // Whoever sends it in the ordinary way says what is wrong with it.
    return undefined;
  }
}
