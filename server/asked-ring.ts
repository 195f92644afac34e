import type { PathClass } from "./path-class.ts";

/** Something that was asked for and is not here. */
export interface Asked {
  /** Decoded, without leading slash, cut to 300 characters. */
  path: string;
  class: PathClass;
  times: number;
  /** Milliseconds since the epoch. */
  last: number;
}

/** What was asked for and not found lately, for the page: the operator sees what the next bundle should bring. */
export interface AskedRing {
  record(path: string, kind: PathClass, at: number, times?: number): void;
  /** Most recent first. */
  recent(): readonly Asked[];
  /** Grows with every record. */
  readonly version: number;
}

const KEPT = 100;

/** Bounded: the path that was not asked for longest goes first. Paths of class `other` are noise and not kept. */
export function createAskedRing(kept = KEPT): AskedRing {
  const entries = new Map<string, Asked>();
  let version = 0;
  return {
    record: (path, kind, at, times = 1) => {
      if (kind === "other") return;
      const key = path.slice(0, 300);
      const known = entries.get(key);
      entries.delete(key);
      entries.set(key, { path: key, class: kind, times: (known?.times ?? 0) + times, last: at });
      version++;
      for (const oldest of entries.keys()) {
        if (entries.size <= kept) break;
        entries.delete(oldest);
      }
    },
    recent: () => [...entries.values()].reverse(),
    get version() {
      return version;
    },
  };
}
