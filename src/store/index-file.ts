import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { FerryError, fromFileError } from "../errors.ts";
import { writeFileAtomic } from "../lib/files.ts";
import { syncFolder } from "../lib/sync-folder.ts";
import { Index } from "../wire/oci.ts";

/** Reads a store's index.json. It is only ever replaced whole, so no lock is needed. Throws STORE_DAMAGED. */
export async function readIndexFile(path: string): Promise<Index> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw fromFileError(error, "read", path, "STORE_DAMAGED");
  }
  try {
    return Index.parse(JSON.parse(text));
  } catch (cause) {
    throw new FerryError("STORE_DAMAGED", `${path} is no OCI index`, {
      cause,
      hint: "It was not written by ferry, or the disk damaged it. Remove it to start with an empty index: the blobs stay, and bundles are imported or built again without fetching what is there.",
    });
  }
}

/** Replaces index.json in one step; after it returns, a power failure finds the new one. Call under the index lock. */
export async function writeIndexFile(path: string, index: Index): Promise<void> {
  await writeFileAtomic(path, `${JSON.stringify(Index.parse(index))}\n`);
  await syncFolder(dirname(path));
}
