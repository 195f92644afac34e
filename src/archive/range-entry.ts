import type { FileHandle } from "node:fs/promises";
import { fromFileError } from "../errors.ts";
import { type HashPool, ShortRangeError } from "../lib/hash-pool.ts";
import type { BundleEntry } from "./bundle-source.ts";
import { truncated } from "./faults.ts";
import { readAt } from "./file-input.ts";
import { requireSmall } from "./small-entry.ts";

/** Large steps cost least when the content is written somewhere, as it is whenever it is streamed. */
const STEP = 1024 * 1024;

/** A range of a file that holds one of the bundle's files. `open` is called when the content is asked for. */
export interface FileRange {
  label: string;
  path: string;
  start: number;
  size: number;
  name: string;
  withHandle<T>(use: (handle: FileHandle) => Promise<T>): Promise<T>;
}

/** A seekable bundle's file: it can be read several times, by several readers at once. */
export function rangeEntry(range: FileRange, pool: HashPool): BundleEntry {
  const { label, name, size, start, path } = range;
  const readPart = async (from: number, count: number): Promise<Buffer> => {
    const bytes = await range.withHandle((handle) => readAt(handle, start + from, count, path));
    if (bytes.length < count) throw truncated(label, `${name} has ${size} bytes`, size - from - bytes.length);
    return bytes;
  };
  return {
    name,
    size,
    bytes: async () => {
      requireSmall(label, name, size);
      return readPart(0, size);
    },
    stream: async function* () {
      for (let from = 0; from < size; from += STEP) yield await readPart(from, Math.min(STEP, size - from));
    },
    digest: async () => {
      try {
        return await pool.hashRange(path, start, size);
      } catch (error) {
        if (error instanceof ShortRangeError) {
          throw truncated(label, `${name} has ${size} bytes`, error.missing);
        }
        throw fromFileError(error, "read", path, "FILE_UNREADABLE");
      }
    },
  };
}
