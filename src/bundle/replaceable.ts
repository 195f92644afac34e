import { open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { FerryError, fromFileError } from "../errors.ts";

/**
 * Refuses an output before any work is done for it: its folder must be there, and a file that lies under its name must be
 * an older output of the same kind (or empty). Anything else is somebody's: a key, a spec, a mistyped name.
 * Throws FILE_UNWRITABLE.
 */
export async function requireReplaceable(
  path: string,
  kind: string,
  isOurs: (head: Buffer) => boolean,
): Promise<void> {
  const folder = await stat(dirname(path)).catch((error: unknown) => {
    throw fromFileError(error, "write into", dirname(path), "FILE_UNWRITABLE");
  });
  if (!folder.isDirectory()) {
    throw new FerryError("FILE_UNWRITABLE", `cannot write ${path}: ${dirname(path)} is no folder`, {
      hint: "Choose another path.",
    });
  }
  const head = await headOf(path);
  if (head === undefined || head.length === 0 || isOurs(head)) return;
  throw new FerryError("FILE_UNWRITABLE", `${path} exists and is no ${kind}: it is not replaced`, {
    hint: "Choose another path, or move that file away first.",
  });
}

/** A bundle's tar begins with the entry `oci-layout`. */
export function isBundleTar(head: Buffer): boolean {
  return head.subarray(0, 11).equals(Buffer.from("oci-layout\0"));
}

/** A lock is JSON that says so in its first lines. */
export function isLockFile(head: Buffer): boolean {
  return /^\s*\{\s*"lockVersion"/.test(head.toString("utf8"));
}

/** The first 512 bytes of a file; undefined where there is none. A folder or device is never ours to replace. */
async function headOf(path: string): Promise<Buffer | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return Buffer.from("not a file");
    const handle = await open(path, "r");
    try {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(512), 0, 512, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw fromFileError(error, "look at", path, "FILE_UNWRITABLE");
  }
}
