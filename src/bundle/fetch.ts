import pLimit from "p-limit";
import { FerryError, interrupted, isFerryError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { type Digest, digestOf, hexOf } from "../lib/digest.ts";
import type { Logger } from "../log.ts";
import type { Door } from "../net/door-types.ts";
import { download } from "../net/download.ts";
import type { LocalBlobStore } from "../store/blob-store.ts";
import type { Artifact } from "../upstream/artifact.ts";
import { combineFailures, type Failure } from "./failures.ts";

export interface FetchInput {
  artifacts: readonly Artifact[];
  store: LocalBlobStore;
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
  const limit = pLimit(input.jobs);
  const stop = new AbortController();
  const signal = AbortSignal.any([input.signal, stop.signal]);
  const failures: Failure[] = [];
  const byContent = new Map<string, Promise<FetchedFile | undefined>>();
  const fetchOnce = (artifact: Artifact): Promise<FetchedFile | undefined> =>
    limit(async () => {
      if (signal.aborted) return undefined;
      try {
        return await fetchOne({ ...input, signal }, artifact);
      } catch (error) {
        if (!isFerryError(error)) throw error;
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
  if (input.signal.aborted) throw interrupted("fetching");
  const done = results.filter((file) => file !== undefined);
  if (failures.length > 0) throw combineFailures(failures, done.length);
  return done;
}

async function fetchOne(input: FetchInput, artifact: Artifact): Promise<FetchedFile> {
  const { store, logger } = input;
  if (artifact.digest !== undefined) {
    const state = await store.verify(artifact.digest, artifact.size);
    if (state === "ok") {
      logger.debug(`${artifact.path}: in the store, digest confirmed`);
      return { ...artifact, digest: artifact.digest };
    }
    if (state === "damaged") {
      logger.warn(`${artifact.path}: the store's copy is damaged (its bytes do not have digest ${artifact.digest}); it is fetched again`);
      await store.delete(artifact.digest);
    }
  }
  const partialPath = await store.partialPath(contentKey(artifact));
  const received = await download({
    door: input.door,
    url: artifact.url,
    size: artifact.size,
    digest: artifact.digest,
    partialPath,
    connections: input.connections,
    signal: input.signal,
    clock: input.clock,
    logger,
    id: artifact.path,
    label: artifact.asset.name,
    random: input.random,
  });
  await store.adopt(partialPath, received.digest);
  return { ...artifact, digest: received.digest, size: received.size };
}

/** Files of equal content are fetched once; those without a known digest are told apart by their address. */
function contentKey(artifact: Artifact): string {
  return artifact.digest === undefined ? `url-${hexOf(digestOf(artifact.url))}` : hexOf(artifact.digest);
}

/** Refuses a build that cannot fit, before the first download. Sizes in bytes. */
export function requireSpace(places: readonly { what: string; path: string; needed: number; free: number }[]): void {
  const tight = places.filter((place) => place.needed > place.free);
  if (tight.length === 0) return;
  const list = tight.map((place) => `${place.what} at ${place.path} needs ${place.needed} bytes, ${place.free} are free`);
  throw new FerryError("DISK_FULL", `not enough space: ${list.join("; ")}`, {
    hint: "Free space there, or choose another place with --store or -o. Nothing was downloaded.",
    details: { places: tight },
  });
}
