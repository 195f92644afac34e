import { open } from "node:fs/promises";
import { fromFileError } from "../errors.ts";
import type { HashPool } from "../lib/hash-pool.ts";
import type { BundleSource } from "./bundle-source.ts";
import { fileInput } from "./file-input.ts";
import { rangeEntry } from "./range-entry.ts";
import { walkTar } from "./tar-walk.ts";

/** A bundle in a tar file. Only the headers are read to list it; contents are hashed where they lie, by the pool. */
export async function openTarFile(path: string, pool: HashPool): Promise<BundleSource> {
  const handle = await open(path, "r").catch((error: unknown) => {
    throw fromFileError(error, "open", path, "FILE_UNREADABLE");
  });
  return {
    label: path,
    seekable: true,
    entries: async function* () {
      const { size: length } = await handle.stat();
      for await (const member of walkTar(fileInput(handle, length, path), path)) {
        yield rangeEntry({ ...member, label: path, path, withHandle: (use) => use(handle) }, pool);
      }
    },
    close: () => handle.close(),
  };
}
