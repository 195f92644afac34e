import { FerryError, interrupted } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Digest } from "../lib/digest.ts";
import { redactUrl } from "../lib/redact.ts";
import type { Logger } from "../log.ts";
import type { Door } from "./door-types.ts";
import { Crew } from "./download/crew.ts";
import { startOver } from "./download/fetch-segment.ts";
import { PartialFile } from "./download/partial-file.ts";
import type { Source } from "./download/source.ts";
import { SPLIT_POLICY, type SplitPolicy } from "./download/split.ts";
import { removeState } from "./download/state-file.ts";
import { type Attempt, persist } from "./persist.ts";
import type { Outcome, RetryPolicy } from "./retry.ts";

export interface DownloadJob {
  door: Door;
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** Bytes; undefined where upstream does not say beforehand (source archives). */
  size: number | undefined;
  /** undefined where nothing vouches for the bytes: then the digest of what came is computed. */
  digest: Digest | undefined;
  /** The folder exists; a record lies beside the file as `<name>.json`. */
  partialPath: string;
  /** Connections at most; further ones are opened only where one is slow and the server takes ranges. */
  connections: number;
  signal: AbortSignal;
  clock: Clock;
  logger: Logger;
  /** Of the progress events, unique within a run. */
  id: string;
  /** How people call the file. */
  label: string;
  /** In [0, 1): spreads pauses. */
  random: () => number;
  retry?: RetryPolicy;
  split?: SplitPolicy;
}

/** Whole downloads whose digest may be wrong before it is upstream's fault: a resumed part or a proxy may be to blame once. */
const ROUNDS = 3;

/** Bytes that a try must bring beyond all tries before it to count as progress, which renews the number of tries. */
const PROGRESS_BYTES = 1024 * 1024;

/**
 * Fetches a URL into `partialPath`, going on from what an earlier run recorded there, and returns the digest over all its
 * bytes, which is the expected one where one was given. Not flushed to the disk: whoever keeps the file does that, then
 * calls `forgetDownload`.
 *
 * Always asks the original URL, never a remembered redirect. Throws NET_TRUNCATED, SIZE_MISMATCH, DIGEST_MISMATCH, other
 * NET_* and UPSTREAM_MALFORMED after retries; DISK_FULL, FILE_UNWRITABLE and INTERRUPTED at once. What was received stays,
 * resumable, except after DIGEST_MISMATCH.
 */
export async function download(job: DownloadJob): Promise<{ digest: Digest; size: number }> {
  const { partialPath, url, size, digest, clock, logger, id, label } = job;
  if (job.signal.aborted) throw interrupted(`fetching ${label}`);
  const file = await PartialFile.open(partialPath, { url: redactUrl(url), size, digest }, clock);
  logger.progress({ kind: "start", id, label, total: size ?? 0, done: file.done });
  let result: { digest: Digest; size: number } | undefined;
  try {
    result = await fetchWhole(job, file);
    return result;
  } catch (error) {
    throw isAborted(job.signal) ? interrupted(`fetching ${label}`) : error;
  } finally {
    await file.close();
    logger.progress({ kind: "end", id, ok: result !== undefined });
  }
}

/** Removes the record of a download whose file was moved to its place. */
export async function forgetDownload(partialPath: string): Promise<void> {
  await removeState(partialPath);
}

/** The same as `download`, into a file that is open already. */
export async function fetchWhole(
  job: DownloadJob,
  file: PartialFile,
): Promise<{ digest: Digest; size: number }> {
  const source = sourceOf(job);
  for (let round = 1; ; round++) {
    let most = file.done;
    await persist(job.label, { ...job, policy: job.retry }, async (): Promise<Attempt<true>> => {
      const failure = file.complete ? undefined : await tryOnce(source, file, job.signal);
      if (failure === undefined) return { done: true };
      const progressed = file.done >= most + PROGRESS_BYTES;
      if (progressed) most = file.done;
      return { failed: failure, progressed };
    });
    const found = await file.digest();
    if (job.digest === undefined || found === job.digest) return { digest: found, size: file.total ?? 0 };
    const error = wrongDigest(job, source, found);
    await startOver(source, file);
    if (round === ROUNDS) throw error;
    job.logger.warn(`${error.message}; discarded, fetching it again from the start`);
  }
}

/** One try at everything that the file lacks: undefined when it is complete then. */
async function tryOnce(source: Source, file: PartialFile, signal: AbortSignal): Promise<Outcome | undefined> {
  if (!source.learned.ranges && file.done > 0) await startOver(source, file);
  const crew = new Crew(source, file, signal);
  await crew.work();
  if (crew.fatal !== undefined) throw crew.fatal.error;
  if (crew.changed !== undefined) {
    await startOver(source, file);
    return { kind: "fault", error: crew.changed };
  }
  if (file.complete) return undefined;
  if (signal.aborted) throw interrupted(`fetching ${source.label}`);
  // Only an ignored range leaves gaps without a failure; it is not sent again, so this happens once.
  return crew.failure ?? tryOnce(source, file, signal);
}

/** A function, because the answer changes between two looks. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function sourceOf(job: DownloadJob): Source {
  const { door, url, headers = {}, id, label, clock, logger, connections, split = SPLIT_POLICY } = job;
  const learned = { ranges: true, contentType: undefined, answeredBy: redactUrl(url) };
  return { door, url, headers, id, label, clock, logger, connections, split, learned };
}

function wrongDigest(job: DownloadJob, { learned }: Source, found: Digest): FerryError {
  const type = learned.contentType ?? "no content type";
  const message = `${job.label}: expected ${job.digest}, received ${found} from ${learned.answeredBy} (${type})`;
  return new FerryError("DIGEST_MISMATCH", message, {
    hint: "The bytes at this address are not the ones that were announced: the asset was replaced, or something in between alters it. Nothing was stored.",
    details: {
      file: job.label,
      url: learned.answeredBy,
      expected: job.digest,
      received: found,
      contentType: learned.contentType,
    },
  });
}
