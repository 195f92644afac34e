import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { fromFileError } from "../errors.ts";
import type { HashPool } from "../lib/hash-pool.ts";
import type { BundleSource } from "./bundle-source.ts";
import { type ListedFile, listLayoutFolder } from "./folder-listing.ts";
import { type FileRange, rangeEntry } from "./range-entry.ts";

/** A bundle in a folder. Files are opened when they are read; links are never followed. */
export function openLayoutFolder(root: string, pool: HashPool): BundleSource {
  return {
    label: root,
    seekable: true,
    entries: async function* () {
      for (const file of await listLayoutFolder(root)) {
        yield rangeEntry({ ...file, label: root, start: 0, withHandle: opening(file) }, pool);
      }
    },
    close: () => Promise.resolve(),
  };
}

function opening({ path }: ListedFile): FileRange["withHandle"] {
  return async (use) => {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
      throw fromFileError(error, "open", path, "FILE_UNREADABLE");
    });
    try {
      return await use(handle);
    } finally {
      await handle.close();
    }
  };
}
