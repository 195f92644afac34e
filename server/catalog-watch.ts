import { FerryError } from "../src/errors.ts";
import type { Clock } from "../src/lib/clock.ts";
import { formatBytes } from "../src/lib/size.ts";
import type { Logger } from "../src/log.ts";
import type { Catalog } from "./catalog.ts";
import { type LoadedCatalog, loadCatalog } from "./catalog-load.ts";
import type { StoreView } from "./store-view.ts";
import { watchFiles } from "./watch-files.ts";

/** Why the catalog is not what the store says now. */
export interface CatalogProblem {
  message: string;
  hint: string | undefined;
  /** When it was first seen, in milliseconds since the epoch. */
  since: number;
}

/** The catalog that is served, kept up with the store. */
export interface CatalogWatch {
  current: () => Catalog;
  problem: () => CatalogProblem | undefined;
  /** Called after a new catalog took the old one's place. */
  onChange: (listener: (catalog: Catalog) => void) => void;
  /** Looks now instead of at the next tick. */
  check: () => Promise<void>;
  close: () => void;
}

interface WatchOptions {
  clock: Clock;
  logger: Logger;
  /** Milliseconds between two looks; zero never looks by itself. */
  pollMs?: number;
}

/** How much rarer than for a new index it is looked for a missing volume, or a repair, among the blobs. */
const BLOBS_EVERY = 10;

/**
 * Loads the catalog and watches the store: an import shows within a second, without a restart, in every process that
 * serves. The old catalog is served until the new one is whole; where the store cannot be read, it stays, and that is
 * said in the log and by readiness. At the start there is no old one: then everything readable is served.
 */
export async function watchCatalog(store: StoreView, options: WatchOptions): Promise<CatalogWatch> {
  const { logger, pollMs = 1000 } = options;
  const listeners: ((catalog: Catalog) => void)[] = [];
  const noted = noteProblems(options);
  let current: Catalog | undefined;
  let failure: FerryError | undefined;
  let running: Promise<void> = Promise.resolve();

  const load = async (): Promise<void> => {
    const loaded = await attempt(store, current);
    if (loaded instanceof FerryError) {
      noted.note(loaded);
      failure = loaded;
      return;
    }
    noted.note(loaded.problems[0]);
    const { catalog } = loaded;
    if (current !== undefined && (loaded.problems.length > 0 || isSame(catalog, current))) return;
    current = catalog;
    logger.info(`catalog: ${summary(catalog)}`);
    for (const listener of listeners) listener(catalog);
  };
  const reload = (): Promise<void> => {
    running = running.then(load);
    return running;
  };
  // What is repaired or arrives beside the index (a volume, a restored blob) does not change the index.
  const reloadUnfinished = async (): Promise<void> => {
    const waiting = current?.bundles.some(({ absent }) => absent.length > 0) === true;
    if (waiting || noted.problem() !== undefined) await reload();
  };

  // Watched before it is read the first time, so that no change falls between the two.
  const index = await watchFiles([store.indexPath], { pollMs, onChange: reload });
  const blobs = await watchFiles([store.blobFolder], {
    pollMs: pollMs * BLOBS_EVERY,
    notify: false,
    onChange: reloadUnfinished,
  });
  const close = (): void => {
    index.close();
    blobs.close();
  };
  await reload();
  const first = current;
  if (first === undefined) {
    close();
    throw failure ?? new Error("the store was read without a result");
  }
  return {
    current: () => current ?? first,
    problem: noted.problem,
    onChange: (listener) => {
      listeners.push(listener);
    },
    check: async () => {
      await index.check();
      await reloadUnfinished();
    },
    close,
  };
}

/** Says a problem once, and when it is over. */
function noteProblems({ clock, logger }: WatchOptions): {
  note: (error: FerryError | undefined) => void;
  problem: () => CatalogProblem | undefined;
} {
  let problem: CatalogProblem | undefined;
  return {
    problem: () => problem,
    note: (error) => {
      if (error === undefined) {
        if (problem !== undefined) logger.info("the store can be read again");
        problem = undefined;
      } else if (problem?.message !== error.message) {
        problem = { message: error.message, hint: error.hint, since: clock.now() };
        logger.warn(`${error.message}${error.hint === undefined ? "" : ` (${error.hint})`}`);
      }
    },
  };
}

async function attempt(store: StoreView, before?: Catalog): Promise<LoadedCatalog | FerryError> {
  try {
    return await loadCatalog(store, before);
  } catch (error) {
    if (error instanceof FerryError) return error;
    const why = error instanceof Error ? error.message : String(error);
    return new FerryError("STORE_DAMAGED", `the store at ${store.root} cannot be read: ${why}`, {
      cause: error,
    });
  }
}

function isSame(a: Catalog, b: Catalog): boolean {
  return a.generation === b.generation && a.files === b.files && a.blobs === b.blobs;
}

function summary({ bundles, files, blobs, bytes }: Catalog): string {
  const absent = bundles.reduce((sum, bundle) => sum + bundle.absent.length, 0);
  const waiting = absent === 0 ? "" : `, ${absent} listed files not imported yet`;
  return `${bundles.length} bundles, ${files} files (${blobs} contents, ${formatBytes(bytes)})${waiting}`;
}
