import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fromFileError } from "../errors.ts";
import { malformed } from "./faults.ts";
import { judgeLayoutName, quoted } from "./layout-names.ts";

export interface ListedFile {
  name: string;
  path: string;
  size: number;
}

/**
 * The files of a bundle that is a folder: `oci-layout` and `index.json` first, then the blobs by name. Anything else in it,
 * links included, is refused with BUNDLE_MALFORMED; a folder of something else is so recognised.
 */
export async function listLayoutFolder(root: string): Promise<ListedFile[]> {
  const files: ListedFile[] = [];
  for (const folder of ["", "blobs", "blobs/sha256"]) {
    if (folder !== "" && !(await isFolder(join(root, folder)))) break;
    for (const entry of await readFolder(join(root, folder))) {
      const file = await judge(root, folder === "" ? entry.name : `${folder}/${entry.name}`, entry);
      if (file !== undefined) files.push(file);
    }
  }
  const rank = ({ name }: ListedFile): number => ["oci-layout", "index.json"].indexOf(name) >>> 0;
  return files.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

async function judge(root: string, name: string, entry: Dirent): Promise<ListedFile | undefined> {
  const verdict = judgeLayoutName(name, entry.isDirectory());
  if (verdict.kind === "refused") {
    const hint =
      name === "ferry"
        ? "Write a bundle of it first (`ferry build … -o FOLDER/`), and give that."
        : "Give the folder that `ferry build -o FOLDER/` wrote, with nothing else in it.";
    throw malformed(root, `${quoted(name)} is refused: ${verdict.why}`, hint);
  }
  if (verdict.kind === "folder") return undefined;
  if (!entry.isFile()) {
    throw malformed(root, `${quoted(name)} is refused: it is a link or a device, not a file`);
  }
  const path = join(root, name);
  try {
    return { name, path, size: (await lstat(path)).size };
  } catch (error) {
    throw fromFileError(error, "look at", path, "FILE_UNREADABLE");
  }
}

async function readFolder(path: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    throw fromFileError(error, "read", path, "FILE_UNREADABLE");
  }
}

async function isFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
