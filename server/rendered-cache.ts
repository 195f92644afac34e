import type { Rendered } from "./rendered.ts";

/** Answers by what was asked (address, path with query, Accept). It belongs to one catalog and is dropped with it. */
export interface RenderedCache {
  get(key: string): Rendered | undefined;
  set(key: string, rendered: Rendered): void;
}

const MAX_ENTRIES = 4096;
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_KEY = 1024;

/** Bounded in entries and bytes: whoever asks with ever new queries pushes out what was rendered first, and no more. */
export function createRenderedCache(limits = { entries: MAX_ENTRIES, bytes: MAX_BYTES }): RenderedCache {
  const entries = new Map<string, Rendered>();
  let bytes = 0;
  const drop = (key: string): void => {
    bytes -= entries.get(key)?.body.length ?? 0;
    entries.delete(key);
  };
  return {
    get: (key) => {
      const found = entries.get(key);
      if (found?.isFresh?.() !== false) return found;
      drop(key);
      return undefined;
    },
    set: (key, rendered) => {
      if (key.length > MAX_KEY || rendered.body.length > limits.bytes / 8) return;
      drop(key);
      entries.set(key, rendered);
      bytes += rendered.body.length;
      for (const oldest of entries.keys()) {
        if (entries.size <= limits.entries && bytes <= limits.bytes) break;
        drop(oldest);
      }
    },
  };
}
