import { type FileHandle, open } from "node:fs/promises";
import { FerryError } from "../../src/errors.ts";
import type { ServedBlob } from "../blob-sender.ts";

/**
 * Opens a blob and holds it to its size: of a file with another length not one byte is sent.
 * Throws STORE_DAMAGED where it is absent or has another length, FILE_UNREADABLE where it cannot be opened (no
 * permission, too many open files). The caller closes the handle.
 */
export async function openBlob(blob: ServedBlob): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(blob.file, "r");
  } catch (error) {
    throw unreadable(blob, error);
  }
  try {
    const { size } = await handle.stat();
    if (size !== blob.size) throw wrongLength(blob, size);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The blob's file has another length than its manifest says, or lost bytes while it was being sent. */
export function wrongLength(blob: ServedBlob, found: number): FerryError {
  return new FerryError(
    "STORE_DAMAGED",
    `the store's copy of ${blob.name} (${blob.digest}) has ${found} bytes where ${blob.size} are expected`,
    {
      hint: "Run `ferry scrub` to see what else is damaged, then import the bundle that carries it again.",
      details: { digest: blob.digest, file: blob.file, expected: blob.size, found },
    },
  );
}

/** Names no path of the server in its message, since clients are shown it; the path is in the details. */
export function unreadable(blob: ServedBlob, cause: unknown): FerryError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown fault";
  const absent = code === "ENOENT" || code === "ENOTDIR";
  return new FerryError(
    absent ? "STORE_DAMAGED" : "FILE_UNREADABLE",
    `the store's copy of ${blob.name} (${blob.digest}) ${absent ? "is not there" : `cannot be read: ${code}`}`,
    {
      cause,
      hint: absent
        ? "Import the bundle that carries it again; `ferry scrub` says what else is missing."
        : "Look at the permissions and the disk of the store, and at the limit of open files.",
      details: { digest: blob.digest, file: blob.file },
    },
  );
}
