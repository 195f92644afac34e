import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeTar } from "../../src/archive/bundle-tar.ts";
import type { MemoryFile } from "./memory-source.ts";

/** Writes a bundle's files as a folder. */
export async function writeFolder(folder: string, files: readonly MemoryFile[]): Promise<string> {
  for (const { name, bytes } of files) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
  }
  return folder;
}

/** Writes a bundle's files as ferry's tar, in the given order. */
export async function writeTarOf(path: string, files: readonly MemoryFile[]): Promise<string> {
  const entries = files.map(({ name, bytes }) => ({ name, size: bytes.length, content: bytes }));
  await writeTar(path, entries, { mtime: new Date(0) });
  return path;
}
