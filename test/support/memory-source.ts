import type { BundleEntry, BundleSource } from "../../src/archive/bundle-source.ts";
import { FerryError } from "../../src/errors.ts";
import { digestOf } from "../../src/lib/digest.ts";

/** A file of a bundle held in memory. */
export interface MemoryFile {
  name: string;
  bytes: Buffer;
}

export interface MemorySourceOptions {
  /** Default false: like standard input, each entry can be read once, and only before the next is asked for. */
  seekable?: boolean;
  label?: string;
  /** The source ends after this many bytes of content, as a tar that was cut does: entries beyond are never met. */
  cutAfter?: number;
}

/** How often the contents of each file were read, by name. */
export interface MemorySource extends BundleSource {
  readonly reads: ReadonlyMap<string, number>;
}

const CHUNK = 7;

/**
 * A bundle source over memory that keeps the contract of `BundleSource` strictly: what a stream would not allow throws.
 */
export function memorySource(files: readonly MemoryFile[], options: MemorySourceOptions = {}): MemorySource {
  const { seekable = false, label = "memory", cutAfter = Infinity } = options;
  const reads = new Map<string, number>();
  let walked = false;
  const cut = (): FerryError => new FerryError("BUNDLE_TRUNCATED", `${label} ends early`);
  const entryOf = (
    file: MemoryFile,
    whole: boolean,
    state: { current: MemoryFile | undefined },
  ): BundleEntry => {
    const take = (): Buffer => {
      const count = reads.get(file.name) ?? 0;
      if (!seekable && state.current !== file) {
        throw new Error(`${file.name} is read after the next was asked for`);
      }
      if (!seekable && count > 0) throw new Error(`${file.name} is read twice`);
      reads.set(file.name, count + 1);
      if (!whole) throw cut();
      return file.bytes;
    };
    const later = async <T>(use: (bytes: Buffer) => T): Promise<T> => {
      await Promise.resolve();
      return use(take());
    };
    return {
      name: file.name,
      size: file.bytes.length,
      bytes: () => later((bytes) => bytes),
      digest: () => later(digestOf),
      stream: async function* () {
        const bytes = await later((all) => all);
        for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
      },
    };
  };
  return {
    label,
    seekable,
    reads,
    entries: async function* () {
      if (walked && !seekable) throw new Error("a stream is walked twice");
      walked = true;
      const state: { current: MemoryFile | undefined } = { current: undefined };
      let passed = 0;
      for (const file of files) {
        await Promise.resolve();
        if (passed >= cutAfter) throw cut();
        passed += file.bytes.length;
        state.current = file;
        yield entryOf(file, passed <= cutAfter, state);
      }
    },
    close: () => Promise.resolve(),
  };
}
