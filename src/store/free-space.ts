import { stat, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fromFileError } from "../errors.ts";

/**
 * Bytes that an ordinary user may still write to the file system that holds `path`, or will hold it once it is made.
 * Throws FILE_UNREADABLE naming the path.
 */
export async function freeSpace(path: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(await nearestExisting(path));
    return bavail * bsize;
  } catch (error) {
    throw fromFileError(error, "ask for free space at", path, "FILE_UNREADABLE");
  }
}

/** Whether both paths are, or will be, on one file system: their needs add up there, and hard links are possible. */
export async function sameFileSystem(a: string, b: string): Promise<boolean> {
  try {
    const [first, second] = await Promise.all([
      nearestExisting(a).then((p) => stat(p)),
      nearestExisting(b).then((p) => stat(p)),
    ]);
    return first.dev === second.dev;
  } catch (error) {
    throw fromFileError(error, "compare the file systems of", `${a} and ${b}`, "FILE_UNREADABLE");
  }
}

async function nearestExisting(path: string): Promise<string> {
  let at = resolve(path);
  for (;;) {
    try {
      await stat(at);
      return at;
    } catch (error) {
      const missing =
        error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
      if (!missing || dirname(at) === at) throw error;
      at = dirname(at);
    }
  }
}
