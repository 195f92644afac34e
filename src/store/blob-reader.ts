import { close, constants, createReadStream, fstat, open, read } from "node:fs";
import { lstat, readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { FerryError, fromFileError } from "../errors.ts";
import { type Digest, digestOf } from "../lib/digest.ts";

/** Large steps: a third of the processor time of the 64 KiB that streams read by default. */
const STEP = 512 * 1024;

/** Size in bytes of a regular file; undefined where there is none (a link or a folder under a blob's name is no blob). */
export async function blobFileSize(path: string): Promise<number | undefined> {
  try {
    const found = await lstat(path);
    return found.isFile() ? found.size : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw fromFileError(error, "look at", path, "FILE_UNREADABLE");
  }
}

/** Streams a blob's file; `end` is inclusive. The stream fails with STORE_DAMAGED where the blob is absent. */
export function readBlobFile(path: string, digest: Digest, range?: { start: number; end: number }): Readable {
  return createReadStream(path, {
    ...range,
    highWaterMark: STEP,
    fs: {
      open: (
        _path: string,
        _flags: unknown,
        _mode: unknown,
        done: (error: Error | null, file?: number) => void,
      ) => {
        openRegular(path, (error, file) => {
          if (error === null) done(null, file);
          else done(isAbsent(error) ? absent(digest) : fromFileError(error, "read", path, "FILE_UNREADABLE"));
        });
      },
      read,
      close,
    },
  });
}

/** Opens without following a link, and only what is a file: anything else in a store is not ours. */
function openRegular(path: string, done: (error: Error | null, file?: number) => void): void {
  open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK, (error, file) => {
    if (error !== null) {
      done(error);
      return;
    }
    fstat(file, (statError, stats) => {
      if (statError === null && stats.isFile()) done(null, file);
      else {
        close(file, () => {
          done(statError ?? Object.assign(new Error("not a file"), { code: "ENOENT" }));
        });
      }
    });
  });
}

/** Manifests and documents are read whole; more than this is none of them, and must not fill the memory. */
const MAX_WHOLE = 64 * 1024 * 1024;

/** The whole of a small blob, checked. Throws STORE_DAMAGED where it is absent, too large, or not what its name says. */
export async function readSmallBlobFile(path: string, digest: Digest): Promise<Buffer> {
  const size = await blobFileSize(path);
  if (size === undefined) throw absent(digest);
  if (size > MAX_WHOLE) {
    throw new FerryError("STORE_DAMAGED", `${path} should be metadata and has ${size} bytes`, {
      hint: "The store's index.json names it as a manifest or document, which it is not. Remove that entry.",
    });
  }
  let content: Buffer;
  try {
    content = await readFile(path);
  } catch (error) {
    if (isAbsent(error)) throw absent(digest);
    throw fromFileError(error, "read", path, "FILE_UNREADABLE");
  }
  const found = digestOf(content);
  if (found === digest) return content;
  throw new FerryError("STORE_DAMAGED", `${path} does not hold the bytes that its name says`, {
    hint: "The disk damaged it, or somebody changed it. Remove it and run the same command again.",
    details: { expected: digest, found },
  });
}

function absent(digest: Digest): FerryError {
  return new FerryError("STORE_DAMAGED", `the store lacks ${digest}, which it should hold`, {
    hint: "It was removed behind our back. Build or import again: what is there is not fetched twice.",
    details: { digest },
  });
}

export function isAbsent(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP" || code === "EISDIR";
}
