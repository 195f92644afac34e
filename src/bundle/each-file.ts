import { inParallel } from "../lib/in-parallel.ts";
import type { BundleFile } from "./bundle-files.ts";
import type { OpenedBundle } from "./open.ts";

/** A bundle's files: all of them where the source is seekable, checked against its manifest; else as they come. */
export type Files = readonly BundleFile[] | AsyncIterable<BundleFile>;

/** Throws what `bundleFiles` throws, for a seekable source before any content is read. */
export async function listFiles(opened: OpenedBundle): Promise<Files> {
  if (!opened.seekable) return opened.files();
  const found: BundleFile[] = [];
  for await (const file of opened.files()) found.push(file);
  return found;
}

/**
 * Takes every file: those of a list `concurrency` at a time, those of a stream one after the other. Nothing reads the
 * source any more when this returns or throws.
 */
export async function eachFile(
  files: Files,
  concurrency: number,
  take: (file: BundleFile) => Promise<void>,
): Promise<void> {
  if (Symbol.asyncIterator in files) for await (const file of files) await take(file);
  else await inParallel(files, concurrency, take);
}
