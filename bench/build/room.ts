import { statfs } from "node:fs/promises";
import type { Options } from "./options.ts";

/** Throws where the disk cannot hold what will lie on it at once: origin, store, bundle, and what one run makes. */
export async function requireRoom({ size, large, largeSize, dir }: Options): Promise<void> {
  const needed = Math.max(5 * size, large ? size + 2 * largeSize : 0) + 2 ** 30;
  const { bavail, bsize } = await statfs(dir);
  if (bavail * bsize >= needed) return;
  throw new Error(
    `${dir} has ${gib(bavail * bsize)} GiB free, ${gib(needed)} are needed; choose another with --dir`,
  );
}

function gib(bytes: number): string {
  return (bytes / 2 ** 30).toFixed(1);
}
