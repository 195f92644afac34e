import { stat } from "node:fs/promises";
import pLimit from "p-limit";
import { FerryError, interrupted, isFerryError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { type Digest, digestOf, hexOf } from "../lib/digest.ts";
import { lastPart } from "../lib/last-part.ts";
import type { Lock } from "../lib/lock.ts";
import type { Logger } from "../log.ts";
import type { Door } from "../net/door-types.ts";
import { download, forgetDownload } from "../net/download.ts";
import type { LayoutStore } from "../store/layout-store.ts";
import type { Artifact } from "../upstream/artifact.ts";
import { combineFailures, type Failure } from "./failures.ts";

export interface FetchInput {
  artifacts: readonly Artifact[];
  store: LayoutStore;
  door: Door;
  clock: Clock;
  logger: Logger;
  signal: AbortSignal;
  /** Files at once. */
  jobs: number;
  /** Connections for one large file. */
  connections: number;
  random: () => number;
}

/** How often a run looks whether another one has finished fetching into the same store. */
const LOOK_AGAIN_MS = 1000;

/** An artifact whose bytes lie verified in the store under this digest. */
export interface FetchedFile extends Artifact {
  digest: Digest;
}

/**
 * Brings every artifact into the store and vouches for each: what is there already is hashed again, the rest is fetched,
 * resumed where an earlier run stopped. A failed file does not stop the others; a full disk or Ctrl-C does.
 * Throws one error that lists every file that failed.
 */
export async function fetchAll(input: FetchInput): Promise<FetchedFile[]> {
  return inTurn(input, () => fetchInTurn(input));
}

type Turn = Pick<FetchInput, "store" | "logger" | "clock" | "signal">;

/** Two runs that share a store take turns, so that none writes into the other's unfinished files. */
export async function inTurn<T>(input: Turn, work: () => Promise<T>): Promise<T> {
  const turn = await takeTurn(input);
  try {
    return await work();
  } finally {
    await turn.release();
  }
}

async function takeTurn({ store, logger, clock, signal }: Turn): Promise<Lock> {
  for (let waiting = false; ; waiting = true) {
    try {
      return await store.lock("fetch", "fetching files");
    } catch (error) {
      if (!isFerryError(error, "STORE_BUSY")) throw error;
      if (!waiting) logger.info(`${error.message}; waiting for it`);
      await clock.sleep(LOOK_AGAIN_MS, signal);
    }
  }
}

async function fetchInTurn(input: FetchInput): Promise<FetchedFile[]> {
  const limit = pLimit(input.jobs);
  const stop = new AbortController();
  const signal = AbortSignal.any([input.signal, stop.signal]);
  const failures: Failure[] = [];
  /** Of ours: thrown once nothing writes into the store any more. */
  const faults: unknown[] = [];
  const byContent = new Map<string, Promise<FetchedFile | undefined>>();
  const fetchOnce = (artifact: Artifact): Promise<FetchedFile | undefined> =>
    limit(async () => {
      if (signal.aborted) return undefined;
      try {
        return await fetchOne({ ...input, signal }, artifact);
      } catch (error) {
        if (!isFerryError(error)) {
          faults.push(error);
          stop.abort();
          return undefined;
        }
        if (error.code === "DISK_FULL") stop.abort();
        if (error.code !== "INTERRUPTED") failures.push({ path: artifact.path, error });
        return undefined;
      }
    });
  const results = await Promise.all(
    input.artifacts.map(async (artifact) => {
      const key = contentKey(artifact);
      const running = byContent.get(key) ?? fetchOnce(artifact);
      byContent.set(key, running);
      const fetched = await running;
      return fetched === undefined ? undefined : { ...artifact, digest: fetched.digest, size: fetched.size };
    }),
  );
  if (faults.length > 0) throw faults[0];
  if (input.signal.aborted) throw interrupted("fetching");
  const done = results.filter((file) => file !== undefined);
  if (failures.length > 0) throw combineFailures(failures, done.length);
  return done;
}

async function fetchOne(input: FetchInput, artifact: Artifact): Promise<FetchedFile> {
  return (await heldFile(input, artifact)) ?? (await downloadFile(input, artifact));
}

/** The file if the store holds it, hashed again; a damaged copy is removed, so that it is fetched. */
async function heldFile({ store, logger }: FetchInput, artifact: Artifact): Promise<FetchedFile | undefined> {
  if (artifact.digest === undefined) return undefined;
  const state = await store.ensureGood(artifact.digest, artifact.size);
  if (state === "ok") return { ...artifact, digest: artifact.digest };
  if (state === "removed") {
    logger.warn(
      `${artifact.path}: the store's copy was damaged (its bytes did not have digest ${artifact.digest}); it is fetched again`,
    );
  }
  return undefined;
}

async function downloadFile(input: FetchInput, artifact: Artifact): Promise<FetchedFile> {
  const { door, clock, logger, random, signal, connections, store } = input;
  const partialPath = await store.partialPath(contentKey(artifact));
  const { url, size, digest, path } = artifact;
  const received = await download({
    door,
    url,
    size,
    digest,
    partialPath,
    connections,
    signal,
    clock,
    logger,
    id: path,
    label: lastPart(path),
    random,
  });
  await store.adopt(partialPath, received.digest);
  await forgetDownload(partialPath);
  return { ...artifact, digest: received.digest, size: received.size };
}

/** Bytes on the disk of what earlier runs began to fetch of these files, as the file system counts them. */
export async function bytesBegun(store: LayoutStore, artifacts: readonly Artifact[]): Promise<number> {
  let bytes = 0;
  for (const key of new Set(artifacts.map(contentKey))) {
    const found = await stat(await store.partialPath(key)).catch(() => undefined);
    bytes += found === undefined ? 0 : Math.min(found.blocks * 512, found.size);
  }
  return bytes;
}

/** Files of equal content are fetched once; those without a known digest are told apart by their address. */
function contentKey(artifact: Artifact): string {
  return artifact.digest === undefined ? `url-${hexOf(digestOf(artifact.url))}` : hexOf(artifact.digest);
}

/** Refuses a build that cannot fit, before the first download. Sizes in bytes. */
export function requireSpace(
  places: readonly { what: string; path: string; needed: number; free: number }[],
): void {
  const tight = places.filter((place) => place.needed > place.free);
  if (tight.length === 0) return;
  const list = tight.map(
    (place) => `${place.what} at ${place.path} needs ${place.needed} bytes, ${place.free} are free`,
  );
  throw new FerryError("DISK_FULL", `not enough space: ${list.join("; ")}`, {
    hint: "Free space there, or choose another place with --store or -o. Nothing was downloaded.",
    details: { places: tight },
  });
}
