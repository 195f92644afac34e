import type { Digest } from "../lib/digest.ts";
import type { CarriedFile } from "./document.ts";

/** A distinct content that a bundle carries, once, with every mirror path that it is served under (sorted). */
export interface CarriedBlob {
  digest: Digest;
  size: number;
  paths: string[];
}

/** The distinct contents of a document's files, sorted by digest: the layers of the manifest, and their order in a tar. */
export function carriedBlobs(files: readonly CarriedFile[]): CarriedBlob[] {
  const blobs = new Map<Digest, CarriedBlob>();
  for (const { digest, size, path } of files) {
    const known = blobs.get(digest);
    if (known === undefined) blobs.set(digest, { digest, size, paths: [path] });
    else known.paths.push(path);
  }
  for (const { paths } of blobs.values()) paths.sort();
  return [...blobs.values()].sort((a, b) => (a.digest < b.digest ? -1 : 1));
}

/** A blob as messages name it: its path, or its first path and how many more there are. */
export function nameOf(blob: CarriedBlob): string {
  const [first = blob.digest, ...more] = blob.paths;
  return more.length === 0 ? first : `${first} (and ${more.length} more of the same content)`;
}
