import { inParallel } from "../lib/in-parallel.ts";
import type { BundleFile } from "./bundle-files.ts";
import type { OpenedBundle } from "./open.ts";

/**
 * Takes every file of a bundle: of a stream one after the other as they come, else `concurrency` at a time, once all are
 * known to be there. Nothing reads the source any more when this returns or throws.
 */
export async function eachFile(
  opened: OpenedBundle,
  concurrency: number,
  take: (file: BundleFile) => Promise<void>,
): Promise<void> {
  if (opened.seekable) await inParallel(await listed(opened.files()), concurrency, take);
  else for await (const file of opened.files()) await take(file);
}

export async function listed(files: AsyncIterable<BundleFile>): Promise<BundleFile[]> {
  const found: BundleFile[] = [];
  for await (const file of files) found.push(file);
  return found;
}
