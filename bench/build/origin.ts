import { createCipheriv, createHash } from "node:crypto";
import { mkdir, open, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A file of the origin, in the terms of the product: what its plan would say of it. */
export interface OriginFile {
  name: string;
  size: number;
  digest: string;
  /** Relative to the origin's base. */
  path: string;
}

const REPO = "bench/content";
const STEP = 4 * 1024 * 1024;
const UPDATED = "2026-01-01T00:00:00Z";

/** Writes one release of files that cannot be compressed, and what GitHub's API would say of it, into a folder to be served. */
export async function writeOrigin(
  root: string,
  tag: string,
  sizes: readonly number[],
): Promise<OriginFile[]> {
  const files: OriginFile[] = [];
  for (const [index, size] of sizes.entries()) {
    const place = placeOf(tag, index);
    files.push({ ...place, size, digest: await writeNoise(join(root, place.path), size, index) });
  }
  await writeRelease(root, tag, files);
  return files;
}

/** The same with one file that takes no room: it is a hole, which reads as zeros. */
export async function writeSparseOrigin(root: string, tag: string, size: number): Promise<OriginFile> {
  const place = placeOf(tag, 0);
  const path = join(root, place.path);
  await mkdir(dirname(path), { recursive: true });
  const handle = await open(path, "wx");
  await handle.truncate(size);
  await handle.close();
  const hash = createHash("sha256");
  const zeros = Buffer.alloc(STEP);
  for (let left = size; left > 0; left -= STEP) hash.update(zeros.subarray(0, Math.min(left, STEP)));
  const file = { ...place, size, digest: `sha256:${hash.digest("hex")}` };
  await writeRelease(root, tag, [file]);
  return file;
}

/** The artifact that the product's plan makes of a file. */
export function artifactOf(file: OriginFile, base: string, tag: string): object {
  return {
    path: file.path,
    url: `${base}/${file.path}`,
    size: file.size,
    digest: file.digest,
    trust: "github",
    updatedAt: UPDATED,
    asset: { repo: REPO, tag, id: 1, name: file.name, contentType: "application/octet-stream" },
  };
}

/** A spec that carries the whole release. */
export function specOf(tag: string): string {
  return `name: bench\nassets:\n  - repo: ${REPO}\n    tag: ${tag}\n    include: ["*.bin"]\n`;
}

/** What makes the product ask this origin. */
export function settingsFor(base: string): Record<string, string> {
  return { FERRY_GITHUB_URL: base, FERRY_GITHUB_API_URL: `${base}/api` };
}

function placeOf(tag: string, index: number): { name: string; path: string } {
  const name = `file-${String(index + 1).padStart(2, "0")}.bin`;
  return { name, path: `${REPO}/releases/download/${tag}/${name}` };
}

async function writeNoise(path: string, size: number, seed: number): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const key = createHash("sha256").update(String(seed)).digest();
  const noise = createCipheriv("aes-256-ctr", key, Buffer.alloc(16));
  const zeros = Buffer.alloc(STEP);
  const hash = createHash("sha256");
  const handle = await open(path, "wx");
  try {
    for (let left = size; left > 0; left -= STEP) {
      const chunk = noise.update(zeros.subarray(0, Math.min(left, STEP)));
      hash.update(chunk);
      await handle.write(chunk);
    }
  } finally {
    await handle.close();
  }
  return `sha256:${hash.digest("hex")}`;
}

async function writeRelease(root: string, tag: string, files: readonly OriginFile[]): Promise<void> {
  const path = join(root, `api/repos/${REPO}/releases/tags/${tag}`);
  await mkdir(dirname(path), { recursive: true });
  const assets = files.map(({ name, size, digest, path: url }, index) => ({
    id: index + 1,
    name,
    state: "uploaded",
    size,
    digest,
    url,
    browser_download_url: url,
    updated_at: UPDATED,
  }));
  await writeFile(
    path,
    JSON.stringify({ id: 1, tag_name: tag, draft: false, prerelease: false, published_at: UPDATED, assets }),
  );
}
