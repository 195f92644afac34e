import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fromFileError } from "../errors.ts";

/** A name beside `path` that no other process uses: work is done there, then renamed onto the target. */
export function temporaryBeside(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
}

/** Whether a name in a path's folder is one that `temporaryBeside` gives for it. */
export function isTemporaryOf(name: string, path: string): boolean {
  const prefix = `.${basename(path)}.`;
  return name.startsWith(prefix) && /^[0-9a-f]{12}\.tmp$/.test(name.slice(prefix.length));
}

/**
 * Replaces `path` by `content` in one step: written beside it, flushed, renamed. Readers see the old or the new content.
 * Throws DISK_FULL or FILE_UNWRITABLE naming the path; nothing is left behind then.
 */
export async function writeFileAtomic(
  path: string,
  content: Uint8Array | string,
  mode = 0o644,
): Promise<void> {
  const temporary = temporaryBeside(path);
  try {
    const handle = await open(temporary, "wx", mode);
    try {
      await handle.chmod(mode);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw fromFileError(error, "write", path, "FILE_UNWRITABLE");
  }
}

/** The size in bytes of a regular file, or undefined where there is none. */
export async function fileSize(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a text file that the user named. Throws FILE_UNREADABLE naming it. */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw fromFileError(error, "read", path, "FILE_UNREADABLE");
  }
}

/**
 * Makes a folder and those above it. Node's own recursive mkdir never returns where the system says that a folder is
 * absent right after its parent was found (below /proc, on some network file systems); this one throws what the system
 * said.
 */
export async function makeFolder(path: string): Promise<void> {
  const make = (): Promise<void> =>
    mkdir(path).catch(async (error: unknown) => {
      if (isCode(error, "EEXIST") && (await stat(path)).isDirectory()) return;
      throw error;
    });
  try {
    await make();
  } catch (error) {
    if (!isCode(error, "ENOENT") || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await make();
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
