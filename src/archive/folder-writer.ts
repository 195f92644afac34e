import { constants } from "node:fs";
import { chmod, copyFile, link, lstat, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { FerryError, fromFileError, interrupted, isFerryError } from "../errors.ts";
import { makeFolder, temporaryBeside } from "../lib/files.ts";
import { syncFolder } from "../lib/sync-folder.ts";
import { listLayoutFolder } from "./folder-listing.ts";
import type { LayoutEntry } from "./layout-entry.ts";

export interface FolderOptions {
  signal?: AbortSignal;
  /** Told of every file written, in bytes. */
  onBytes?: (bytes: number) => void;
}

/**
 * Writes a layout as a folder. Files are hard links where the file system allows, else copies (shared blocks where it has
 * them), so a blob is on disk once or twice and never three times. What is linked must never be written to again.
 *
 * The folder is made beside `target` and renamed. An existing bundle is replaced: it is moved aside first, and back if the
 * rename fails, so for a moment there is nothing under the name but never half a bundle. Anything else that exists there is
 * refused with FILE_UNWRITABLE. Returns the bytes of all files. Throws DISK_FULL, FILE_UNWRITABLE, INTERRUPTED.
 */
export async function writeLayoutFolder(
  target: string,
  entries: AsyncIterable<LayoutEntry> | Iterable<LayoutEntry>,
  options: FolderOptions = {},
): Promise<number> {
  const final = resolve(target);
  const temporary = temporaryBeside(final);
  try {
    await requireReplaceable(final);
    const blobs = join(temporary, "blobs", "sha256");
    await makeFolder(blobs);
    let bytes = 0;
    for await (const entry of entries) {
      if (options.signal?.aborted === true) throw interrupted(`writing ${target}`);
      await writeEntry(join(temporary, entry.name), entry);
      bytes += entry.size;
      options.onBytes?.(entry.size);
    }
    for (const folder of [blobs, dirname(blobs), temporary]) await syncFolder(folder);
    await swapFolder(temporary, final);
    return bytes;
  } catch (error) {
    await rm(temporary, { force: true, recursive: true }).catch(() => undefined);
    throw fromFileError(error, "write", target, "FILE_UNWRITABLE");
  }
}

async function writeEntry(path: string, { content, name, size }: LayoutEntry): Promise<void> {
  if (typeof content !== "string") {
    await writeFile(path, content, { flag: "wx", mode: 0o644, flush: true });
    await chmod(path, 0o644);
    return;
  }
  if (!(await linked(content, path))) {
    await copyFile(content, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await chmod(path, 0o644);
    await syncFile(path);
  }
  const found = (await lstat(path)).size;
  if (found === size) return;
  throw new FerryError("STORE_DAMAGED", `${content} has ${found} bytes where ${size} were verified`, {
    hint: "Something changed it meanwhile. Run the same command again: it will be fetched anew.",
    details: { name, expected: size, found },
  });
}

/** Other file system, too many links, a file system without links, or protected_hardlinks and another owner: copy then. */
const CANNOT_LINK = new Set(["EXDEV", "EMLINK", "EPERM", "EACCES", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && CANNOT_LINK.has(String(error.code))) return false;
    throw error;
  }
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function requireReplaceable(target: string): Promise<void> {
  const found = await lstat(target).catch(() => undefined);
  if (found === undefined) return;
  const refusal = (why: string): FerryError =>
    new FerryError("FILE_UNWRITABLE", `${target} exists and ${why}`, {
      hint: "Name a folder that does not exist yet, an empty one, or an earlier bundle with -o.",
    });
  if (!found.isDirectory()) throw refusal("is no folder");
  if ((await readdir(target)).length === 0) return;
  try {
    const names = new Set((await listLayoutFolder(target)).map(({ name }) => name));
    if (!names.has("oci-layout")) throw refusal("is no bundle");
  } catch (error) {
    if (isFerryError(error, "BUNDLE_MALFORMED")) throw refusal(`is no bundle (${error.message})`);
    throw error;
  }
}

/** Puts a folder in place of what is there, which is back where that fails. */
export async function swapFolder(temporary: string, final: string): Promise<void> {
  const aside = temporaryBeside(final);
  const moved = await rename(final, aside).then(
    () => true,
    () => false,
  );
  try {
    await rename(temporary, final);
  } catch (error) {
    if (moved) await rename(aside, final);
    throw error;
  }
  await syncFolder(dirname(final));
  if (moved) await rm(aside, { force: true, recursive: true });
}
