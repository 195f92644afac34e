import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../log.ts";
import type { LayoutStore } from "../store/layout-store.ts";
import type { Descriptor, Index } from "../wire/oci.ts";
import { ANNOTATION_IMPORTED_AT } from "../wire/store-annotations.ts";
import { findConflicts, type PathConflict, type Preference, refuseConflicts } from "./import-conflicts.ts";
import { refuseCounter } from "./import-counter.ts";
import { importedEntries } from "./import-entries.ts";
import type { OpenedBundle } from "./open.ts";
import { bundleEntries, mergeBundle } from "./store-index.ts";
import { readStoredDocument, type StoredBundle } from "./store-record.ts";

export interface RecordOptions {
  store: LayoutStore;
  prefer: Preference | undefined;
  allowOlder: boolean;
  clock: Clock;
  logger: Logger;
}

/** What the store's other bundles mean for one that is imported. */
interface Verdict {
  /** The index that was judged. */
  index: Index;
  conflicts: PathConflict[];
  /** The bundle's own entry, where it is in the index with a time of import. */
  known: Descriptor | undefined;
}

export interface Recorded {
  /** The bundle's own entry as the index has it now. */
  entry: Descriptor;
  conflicts: PathConflict[];
  /** False where the index said all of it already. */
  changed: boolean;
}

/** Judges a bundle against what the store has, and notes it in the index once its contents are all there. */
export interface Recorder {
  /** Throws BUNDLE_OLDER, BUNDLE_CONFLICT. Writes nothing. */
  judge(): Promise<Verdict>;
  /** Judges again and adds the bundle to the index, as one step. */
  record(): Promise<Recorded>;
}

export function createRecorder(opened: OpenedBundle, options: RecordOptions): Recorder {
  const { store } = options;
  const readOthers = otherBundles(opened, options);
  const judge = async (): Promise<Verdict> => {
    const index = await store.readIndex();
    const { label, document, manifestDigest: manifest } = opened;
    refuseCounter(
      index,
      { label, name: document.name, counter: document.counter, manifest },
      options.allowOlder,
    );
    const own = bundleEntries(index).find((entry) => entry.digest === manifest);
    const known = own?.annotations?.[ANNOTATION_IMPORTED_AT] === undefined ? undefined : own;
    // Decided at its first import, and decided anew only where somebody asks for it.
    if (known !== undefined && options.prefer === undefined) return { index, conflicts: [], known };
    const conflicts = findConflicts(document, await readOthers(index));
    if (options.prefer === undefined) refuseConflicts(label, conflicts);
    return { index, conflicts, known };
  };
  const record: Recorder["record"] = async () => {
    for (;;) {
      const verdict = await judge();
      const added = importedEntries(opened, { ...verdict, prefer: options.prefer, now: options.clock.now() });
      const recorded = { entry: added[0], conflicts: verdict.conflicts };
      if (mergeBundle(verdict.index, added) === verdict.index) return { ...recorded, changed: false };
      // Where another import came between, what it brought has to be judged first.
      const after = await store.updateIndex((now) =>
        sameBundles(now, verdict.index) ? mergeBundle(now, added) : now,
      );
      if (bundleEntries(after).some((entry) => isDeepStrictEqual(entry, recorded.entry))) {
        return { ...recorded, changed: true };
      }
    }
  };
  return { judge, record };
}

/** Documents of the other bundles, each read once. One that cannot be read is left out, as the mirror leaves it out. */
function otherBundles(
  { manifestDigest }: OpenedBundle,
  { store, logger }: RecordOptions,
): (index: Index) => Promise<StoredBundle[]> {
  const read = new Map<string, Promise<StoredBundle | undefined>>();
  const readOne = async (entry: Descriptor): Promise<StoredBundle | undefined> => {
    try {
      return { entry, document: await readStoredDocument(store, entry) };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      logger.warn(`${why}; it is not compared with what is imported now`);
      return undefined;
    }
  };
  return async (index) => {
    const found: StoredBundle[] = [];
    for (const entry of bundleEntries(index)) {
      if (entry.digest === manifestDigest) continue;
      const reading = read.get(entry.digest) ?? readOne(entry);
      read.set(entry.digest, reading);
      const bundle = await reading;
      if (bundle !== undefined) found.push({ ...bundle, entry });
    }
    return found;
  };
}

function sameBundles(a: Index, b: Index): boolean {
  return isDeepStrictEqual(bundleEntries(a), bundleEntries(b));
}
