import { readdir } from "node:fs/promises";
import { fromFileError } from "../src/errors.ts";
import { type Digest, digestFromHex, hexOf } from "../src/lib/digest.ts";
import { isAbsent, readSmallBlobFile } from "../src/store/blob-reader.ts";
import { readIndexFile } from "../src/store/index-file.ts";
import { layoutFolders } from "../src/store/layout-folders.ts";
import type { Index } from "../src/wire/oci.ts";

/** The store as the mirror sees it: read only, so that it may lie on a volume that cannot be written. */
export interface StoreView {
  readonly root: string;
  /** `index.json`, whose replacement is how an import shows. */
  readonly indexPath: string;
  readonly blobFolder: string;
  pathOf: (digest: Digest) => string;
  /** Throws STORE_DAMAGED. */
  readIndex: () => Promise<Index>;
  /** A whole small blob, hashed on the way. Throws STORE_DAMAGED. */
  readSmall: (digest: Digest) => Promise<Buffer>;
  /** Digests of the blobs that have a file. */
  present: () => Promise<ReadonlySet<Digest>>;
}

export function viewStore(root: string): StoreView {
  const folders = layoutFolders(root);
  const pathOf = (digest: Digest): string => `${folders.blobs}/${hexOf(digest)}`;
  return {
    root,
    indexPath: folders.index,
    blobFolder: folders.blobs,
    pathOf,
    readIndex: () => readIndexFile(folders.index),
    readSmall: (digest) => readSmallBlobFile(pathOf(digest), digest),
    present: async () => {
      try {
        // Whatever else lies there is no digest's name, so nobody asks for it.
        return new Set((await readdir(folders.blobs)).map(digestFromHex));
      } catch (error) {
        if (isAbsent(error)) return new Set();
        throw fromFileError(error, "list", folders.blobs, "STORE_DAMAGED");
      }
    },
  };
}
