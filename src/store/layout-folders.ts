import { randomBytes } from "node:crypto";
import { chmod, link, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FerryError, fromFileError } from "../errors.ts";
import { fileSize, makeFolder } from "../lib/files.ts";
import { IMAGE_LAYOUT_JSON, ImageLayout, INDEX_FILE, LAYOUT_FILE, MEDIA_TYPE_INDEX } from "../wire/oci.ts";

/** Where the parts of a store are. Everything that is not OCI's is under `ferry/`, which OCI tools leave alone. */
export interface LayoutFolders {
  root: string;
  blobs: string;
  index: string;
  partial: string;
  importing: string;
  locks: string;
}

export function layoutFolders(root: string): LayoutFolders {
  return {
    root,
    blobs: join(root, "blobs", "sha256"),
    index: join(root, INDEX_FILE),
    partial: join(root, "ferry", "partial"),
    importing: join(root, "ferry", "importing"),
    locks: join(root, "ferry", "lock"),
  };
}

const EMPTY_INDEX = `${JSON.stringify({ schemaVersion: 2, mediaType: MEDIA_TYPE_INDEX, manifests: [] })}\n`;
/** What a folder may hold and still become a store: what an unfinished creation left, and a new file system's own folder. */
const HARMLESS = new Set(["lost+found", "blobs", "ferry", INDEX_FILE, LAYOUT_FILE]);

/**
 * Makes sure that `root` is an OCI image layout, creating what is missing; several processes may do so at once.
 * Throws STORE_DAMAGED where it is a layout of another version, FILE_UNWRITABLE where it is a folder of other things.
 */
export async function createLayout(root: string): Promise<LayoutFolders> {
  const folders = layoutFolders(root);
  try {
    await makeFolder(root);
    if (!(await isLayout(root))) {
      await refuseForeign(root);
      await createOnce(join(root, LAYOUT_FILE), IMAGE_LAYOUT_JSON);
    }
    await makeFolder(folders.blobs);
    for (const folder of [folders.partial, folders.importing, folders.locks]) {
      await makeFolder(folder);
    }
    await createOnce(folders.index, EMPTY_INDEX);
  } catch (error) {
    throw fromFileError(error, "open the store", root, "FILE_UNWRITABLE");
  }
  return folders;
}

async function isLayout(root: string): Promise<boolean> {
  const path = join(root, LAYOUT_FILE);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
  try {
    ImageLayout.parse(JSON.parse(text));
    return true;
  } catch (cause) {
    throw new FerryError("STORE_DAMAGED", `${path} is not that of an OCI image layout 1.0.0`, {
      cause,
      hint: "Choose another folder with --store, or repair this file; ferry did not write it so.",
    });
  }
}

async function refuseForeign(root: string): Promise<void> {
  const strangers = (await readdir(root)).filter((name) => !HARMLESS.has(name) && !name.endsWith(".tmp"));
  if (strangers.length === 0) return;
  throw new FerryError(
    "FILE_UNWRITABLE",
    `${root} is no store: it holds other things (${strangers.slice(0, 3).join(", ")})`,
    { hint: "Name an empty folder, or one that does not exist yet, with --store." },
  );
}

/** Puts a file in place whole, or leaves the one that is there. */
async function createOnce(path: string, content: string): Promise<void> {
  // A store that is only read may lie where nothing can be written.
  if ((await fileSize(path)) !== undefined) return;
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await writeFile(temporary, content, { flag: "wx", mode: 0o644, flush: true });
    await chmod(temporary, 0o644);
    await link(temporary, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}
