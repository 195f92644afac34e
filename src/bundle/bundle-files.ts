import type { BundleEntry } from "../archive/bundle-source.ts";
import { isFerryError } from "../errors.ts";
import { blobName } from "../wire/oci.ts";
import { malformed, truncated, unlisted, wrongSize } from "./bundle-faults.ts";
import type { CarriedBlob } from "./carried-blobs.ts";
import type { RemainingEntries } from "./metadata-reader.ts";

/** A carried content as it is met. Its name and size are as listed; its bytes are the caller's to hash. */
export interface BundleFile {
  blob: CarriedBlob;
  entry: BundleEntry;
}

/**
 * The carried contents of a bundle, each exactly once. Of a seekable source everything that is listed is known to be
 * there, and nothing else, before the first is yielded; of a stream that is known when the iteration has ended.
 * Throws BUNDLE_UNLISTED, BUNDLE_TRUNCATED (with the absent paths), SIZE_MISMATCH, BUNDLE_MALFORMED.
 */
export async function* bundleFiles(
  label: string,
  blobs: readonly CarriedBlob[],
  rest: RemainingEntries,
): AsyncGenerator<BundleFile> {
  const absent = new Map(blobs.map((blob) => [blobName(blob.digest), blob]));
  const cutShort = (cause?: unknown): Error => truncated(label, [...absent.values()], blobs.length, cause);
  if (rest.seekable) {
    yield* listedFiles(label, absent, rest);
    return;
  }
  const seen = new Set<string>();
  try {
    for await (const entry of rest.entries) {
      const blob = absent.get(entry.name);
      if (seen.has(entry.name)) throw malformed(label, `it holds ${entry.name} twice`);
      if (blob === undefined) throw unlisted(label, [entry.name]);
      if (entry.size !== blob.size) throw wrongSize(label, blob, entry.size);
      seen.add(entry.name);
      yield { blob, entry: naming(entry, cutShort) };
      absent.delete(entry.name);
    }
  } catch (error) {
    throw isFerryError(error, "BUNDLE_TRUNCATED") && absent.size > 0 ? cutShort(error) : error;
  }
  if (absent.size > 0) throw cutShort();
}

function* listedFiles(
  label: string,
  expected: ReadonlyMap<string, CarriedBlob>,
  rest: Extract<RemainingEntries, { seekable: true }>,
): Generator<BundleFile> {
  const strangers = [...rest.entries.keys()].filter((name) => !expected.has(name));
  if (strangers.length > 0) throw unlisted(label, strangers.sort());
  const missing = [...expected].filter(([name]) => !rest.entries.has(name)).map(([, blob]) => blob);
  if (missing.length > 0) throw truncated(label, missing, expected.size, rest.cut);
  if (rest.cut !== undefined) throw rest.cut;
  const files = [...expected].map(([name, blob]) => ({ blob, entry: rest.entries.get(name) }));
  for (const { blob, entry } of files) {
    if (entry !== undefined && entry.size !== blob.size) throw wrongSize(label, blob, entry.size);
  }
  for (const { blob, entry } of files) {
    if (entry !== undefined) {
      yield { blob, entry: naming(entry, (cause) => truncated(label, [blob], expected.size, cause)) };
    }
  }
}

/** The same entry, whose early end is reported with the paths that it takes along. */
function naming(entry: BundleEntry, cutShort: (cause: unknown) => Error): BundleEntry {
  const rethrow = (error: unknown): never => {
    throw isFerryError(error, "BUNDLE_TRUNCATED") ? cutShort(error) : error;
  };
  return {
    name: entry.name,
    size: entry.size,
    bytes: () => entry.bytes().catch(rethrow),
    digest: () => entry.digest().catch(rethrow),
    stream: async function* () {
      try {
        yield* entry.stream();
      } catch (error) {
        rethrow(error);
      }
    },
  };
}
