import { randomFillSync } from "node:crypto";
import { link, mkdir, open, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BundleDocument, CarriedFile } from "../../src/bundle/document.ts";
import { renderBundle } from "../../src/bundle/manifest.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { blobName } from "../../src/wire/oci.ts";

const REPO = "bench/files";
const TAG = "v1";
const UPDATED = "2026-01-01T00:00:00Z";

export interface StoreFile {
  name: string;
  size: number;
  /** Holes instead of random bytes. */
  sparse?: boolean;
}

/** A store with one release in it, as an import leaves it, and a folder with the same files for nginx. */
export interface BenchStore {
  root: string;
  /** The files by their mirror paths, each a hard link to the store's blob. */
  mirrored: string;
  pathOf: (name: string) => string;
  /** The blob of a file. */
  blobOf: (name: string) => string;
}

/** The path of the release in the API. */
export const RELEASE_PATH = `repos/${REPO}/releases/tags/${TAG}`;

/**
 * Writes the store. The mirror hashes nothing that it serves, so blobs are named after their files here: to hash them
 * would be most of the bench's time.
 */
export async function writeStore(root: string, files: readonly StoreFile[]): Promise<BenchStore> {
  const mirrored = `${root}-mirrored`;
  const pathOf = (name: string): string => `${REPO}/releases/download/${TAG}/${name}`;
  const blobOf = (name: string): string => join(root, blobName(digestOf(name)));
  await mkdir(dirname(blobOf("any")), { recursive: true });
  await mkdir(dirname(join(mirrored, pathOf("any"))), { recursive: true });
  for (const file of files) {
    await writeContent(blobOf(file.name), file);
    await link(blobOf(file.name), join(mirrored, pathOf(file.name)));
  }
  const carried = files.map(({ name, size }) => carriedFile(pathOf(name), name, size));
  await writeMetadata(root, documentOf(carried, files));
  return { root, mirrored, pathOf, blobOf };
}

/** Writes a store whose catalog has `count` paths, all of them one small file. */
export async function writeWideStore(root: string, count: number): Promise<BenchStore> {
  const store = await writeStore(root, [{ name: "one", size: 1000 }]);
  const names = Array.from({ length: count }, (_, index) => `wide-${index}.tar.gz`);
  const carried = names.map((name) => carriedFile(store.pathOf(name), "one", 1000));
  await writeMetadata(root, documentOf(carried, []));
  return store;
}

function carriedFile(path: string, content: string, size: number): CarriedFile {
  const url = `https://upstream.example/${path}`;
  return { path, digest: digestOf(content), size, url, updatedAt: UPDATED, trust: "github" };
}

function documentOf(carried: CarriedFile[], assets: readonly StoreFile[]): BundleDocument {
  const release = {
    repo: REPO,
    id: 1,
    nodeId: "RE_1",
    tag: TAG,
    name: TAG,
    targetCommitish: "main",
    prerelease: false,
    immutable: true,
    createdAt: UPDATED,
    publishedAt: UPDATED,
    assets: assets.map(({ name, size }, index) => ({
      id: index + 1,
      nodeId: `RA_${index + 1}`,
      name,
      label: null,
      contentType: "application/gzip",
      size,
      digest: digestOf(name),
      createdAt: UPDATED,
      updatedAt: UPDATED,
    })),
  };
  return {
    formatVersion: 1,
    name: "bench",
    counter: 1,
    created: UPDATED,
    spec: { name: "bench" },
    recipes: [],
    builds: [],
    files: carried,
    releases: assets.length === 0 ? [] : [release],
    missing: [],
  };
}

async function writeMetadata(root: string, document: BundleDocument): Promise<void> {
  for (const { name, bytes } of renderBundle(document, []).metadata) {
    await writeFile(join(root, name), bytes);
  }
}

async function writeContent(path: string, { size, sparse }: StoreFile): Promise<void> {
  const handle = await open(path, "wx");
  try {
    if (sparse === true) {
      await handle.truncate(size);
      return;
    }
    const chunk = randomFillSync(Buffer.allocUnsafe(Math.min(size, 8 * 1024 * 1024)));
    for (let at = 0; at < size; at += chunk.length) {
      await handle.write(chunk, 0, Math.min(chunk.length, size - at));
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}
