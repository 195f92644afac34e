import { FerryError, isFerryError } from "../../errors.ts";
import { failedAnswer } from "../body.ts";
import type { DoorResponse } from "../door-types.ts";
import { networkError } from "../network-error.ts";
import type { Outcome } from "../retry.ts";
import { judge, type Verdict } from "./answer.ts";
import type { PartialFile } from "./partial-file.ts";
import { type Ending, receive, type Segment } from "./receive.ts";
import type { Source } from "./source.ts";

export type SegmentEnd =
  | { kind: "done" }
  | { kind: "failed"; outcome: Outcome }
  /** Upstream has another version, or more than was announced: the whole file begins anew. */
  | { kind: "changed"; error: FerryError }
  /** The server ignored the range, and other segments are under way. */
  | { kind: "unranged" };

export interface SegmentContext {
  source: Source;
  file: PartialFile;
  signal: AbortSignal;
  /** No other segment is being fetched, so the file may begin anew under this one. */
  alone: () => boolean;
  unit: () => number;
  /** The answer is there and bytes follow; `ranges` where others may be asked for beside it. */
  opened: (ranges: boolean) => void;
  received: (bytes: number, blocked: number) => void;
}

/**
 * Fetches one segment with one request. What came of it is in the file, whatever the end.
 * Throws what ends the whole download: DISK_FULL, FILE_UNWRITABLE, INTERRUPTED, NET_OFFLINE and the like.
 */
export async function fetchSegment(segment: Segment, context: SegmentContext): Promise<SegmentEnd> {
  const { source, file, signal } = context;
  let response: DoorResponse;
  const from = segment.start === 0 && file.done === 0 && context.alone() ? undefined : segment.start;
  try {
    response = await source.door.request(source.url, {
      headers: requestHeaders(segment, from, context),
      signal,
    });
  } catch (error) {
    if (isFerryError(error) && error.code !== "INTERRUPTED") {
      return { kind: "failed", outcome: { kind: "fault", error } };
    }
    throw error;
  }
  const verdict = judge({ label: source.label, from, total: file.total, etag: file.etag }, response);
  if (verdict.kind === "status") return { kind: "failed", outcome: await failedAnswer(response, source.url) };
  try {
    return await takeContent(verdict, response, segment, context);
  } finally {
    response.body.on("error", () => undefined).destroy();
  }
}

function requestHeaders(
  segment: Segment,
  from: number | undefined,
  { source, file }: SegmentContext,
): Record<string, string> {
  if (from === undefined) return { ...source.headers };
  const last = segment.end === (file.total ?? Number.POSITIVE_INFINITY) ? "" : String(segment.end - 1);
  // If-Range takes strong validators only; with a weak one the answers' ETags are still compared.
  const strong = file.etag?.startsWith('"') === true ? { "if-range": file.etag } : {};
  return { ...source.headers, ...strong, range: `bytes=${from}-${last}` };
}

async function takeContent(
  verdict: Exclude<Verdict, { kind: "status" }>,
  response: DoorResponse,
  segment: Segment,
  context: SegmentContext,
): Promise<SegmentEnd> {
  const { file, source } = context;
  source.learned.contentType = response.headers["content-type"];
  source.learned.answeredBy = response.url;
  switch (verdict.kind) {
    case "unusable":
      return { kind: "failed", outcome: { kind: "fault", error: verdict.error } };
    case "changed":
      return verdict;
    case "nothing-left":
      file.total = verdict.total;
      return { kind: "done" };
    case "from-zero":
      source.learned.ranges = false;
      if (!context.alone()) return { kind: "unranged" };
      await startOver(source, file);
      Object.assign(segment, { start: 0, position: 0, end: file.total ?? Number.POSITIVE_INFINITY });
      break;
    case "bytes":
      break;
  }
  file.etag ??= response.headers["etag"];
  file.total ??= verdict.total;
  segment.end = Math.min(segment.end, file.total ?? segment.end);
  context.opened(verdict.kind === "bytes" && verdict.ranges);
  return takeBytes(response, segment, context);
}

/** Discards what was received; the progress display goes back with it. */
export async function startOver(source: Source, file: PartialFile): Promise<void> {
  if (file.done > 0) source.logger.progress({ kind: "rewind", id: source.id, done: 0 });
  await file.reset();
}

async function takeBytes(
  response: DoorResponse,
  segment: Segment,
  context: SegmentContext,
): Promise<SegmentEnd> {
  const { source, file, signal } = context;
  let ending: Ending;
  try {
    ending = await receive(response.body as AsyncIterable<Buffer>, segment, {
      clock: source.clock,
      unit: context.unit,
      received: context.received,
      write: async (offset, parts) => {
        const length = parts.reduce((sum, part) => sum + part.length, 0);
        await file.write(offset, parts);
        source.logger.progress({ kind: "advance", id: source.id, bytes: length });
      },
    });
  } catch (error) {
    if (isFerryError(error) || signal.aborted) throw error;
    return failed(cutOff(context, response.url, networkError(error, response.url)));
  }
  if (ending === "overflow" && segment.end === file.total) {
    return { kind: "changed", error: tooMuch(context, response.url) };
  }
  if (ending === "end" && file.total === undefined && saysItsEnd(response, file)) {
    file.total = segment.position;
  }
  return segment.position >= (file.total ?? segment.end) || segment.position >= segment.end
    ? { kind: "done" }
    : failed(cutOff(context, response.url, undefined));
}

/** Without a length beforehand, a closed connection is an end only where chunks or a digest can tell it from a broken one. */
function saysItsEnd(response: DoorResponse, file: PartialFile): boolean {
  return file.hasDigest || /\bchunked\b/i.test(response.headers["transfer-encoding"] ?? "");
}

function failed(error: FerryError): SegmentEnd {
  return { kind: "failed", outcome: { kind: "fault", error } };
}

/** The content ended, broke off or fell silent before its end. */
function cutOff({ source, file }: SegmentContext, url: string, cause: FerryError | undefined): FerryError {
  const expected = file.total === undefined ? "an unknown length" : `${file.total} bytes`;
  const silent = cause?.code === "NET_TIMEOUT";
  const how = silent ? "the server went silent" : "the answer ended";
  return new FerryError(
    silent ? "NET_TIMEOUT" : "NET_TRUNCATED",
    `${source.label}: ${how} early: ${file.done} of ${expected} received from ${url}`,
    {
      hint: "Run the same command again: what was received is kept. If it repeats, look at the proxy or firewall in between.",
      details: {
        file: source.label,
        url,
        expected: file.total,
        received: file.done,
        contentType: source.learned.contentType,
      },
      ...(cause && { cause }),
    },
  );
}

function tooMuch({ source, file }: SegmentContext, url: string): FerryError {
  const { contentType } = source.learned;
  return new FerryError(
    "SIZE_MISMATCH",
    `${source.label}: expected ${file.total} bytes, ${url} sends more (${contentType ?? "no content type"})`,
    {
      hint: "The file at this address is not the one that was announced: plan again, or look at the URL with curl.",
      details: { file: source.label, url, expected: file.total, contentType },
    },
  );
}
