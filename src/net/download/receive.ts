import type { Clock } from "../../lib/clock.ts";
import type { Range } from "./ranges.ts";

/** A stretch of the file that one connection fetches. `end` may move towards `position` while it runs. */
export interface Segment extends Range {
  /** Up to here it was received. */
  position: number;
}

export interface Receiver {
  clock: Clock;
  /** Takes bytes at an offset; called again only after the call before the last has resolved. */
  write: (offset: number, parts: readonly Buffer[]) => Promise<void>;
  /** Bytes that are gathered before they are written: large ones cost less processor time, small ones less memory. */
  unit: () => number;
  /** Bytes that came, and milliseconds that were spent waiting for `write` before them. */
  received: (bytes: number, blocked: number) => void;
}

/** How a body ended: with its end, because the segment is full, or with more than the segment has room for. */
export type Ending = "end" | "full" | "overflow";

/** Bytes that wait longer than this are written although the unit is not full: what a kill can cost. */
const HOLD_MS = 1000;

/**
 * Receives a body into its segment. Whatever came is written before this returns or throws (what `write` throws, or the
 * body's own error). The body is left unfinished where the segment was shortened meanwhile; the caller destroys it.
 */
export async function receive(
  body: AsyncIterable<Buffer>,
  segment: Segment,
  into: Receiver,
): Promise<Ending> {
  const { clock } = into;
  const planned = segment.end;
  let parts: Buffer[] = [];
  let gathered = 0;
  let writtenAt = clock.now();
  let writing: Promise<void> = Promise.resolve();

  /** Hands the gathered bytes over; waits for the write before, so that two units at most are in memory. */
  const flush = async (): Promise<number> => {
    const asked = clock.now();
    const [before, unit, offset] = [writing, parts, segment.position - gathered];
    parts = [];
    gathered = 0;
    await before;
    writtenAt = clock.now();
    if (unit.length > 0) writing = into.write(offset, unit);
    writing.catch(() => undefined);
    return writtenAt - asked;
  };

  try {
    for await (const chunk of body) {
      const room = segment.end - segment.position;
      if (room <= 0) return segment.end < planned ? "full" : "overflow";
      const part = chunk.length > room ? chunk.subarray(0, room) : chunk;
      parts.push(part);
      gathered += part.length;
      segment.position += part.length;
      const due = gathered >= into.unit() || clock.now() - writtenAt >= HOLD_MS;
      into.received(part.length, due ? await flush() : 0);
      if (part.length < chunk.length) return segment.end < planned ? "full" : "overflow";
      if (segment.position >= segment.end && segment.end < planned) return "full";
    }
    return "end";
  } finally {
    await flush();
    await writing;
  }
}
