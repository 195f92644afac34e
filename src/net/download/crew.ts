import { setMaxListeners } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FerryError } from "../../errors.ts";
import type { Outcome } from "../retry.ts";
import { fetchSegment, type SegmentContext } from "./fetch-segment.ts";
import { createLoadMeter } from "./own-load.ts";
import type { PartialFile } from "./partial-file.ts";
import { addRange, gaps, type Range, totalLength } from "./ranges.ts";
import type { Segment } from "./receive.ts";
import type { Source } from "./source.ts";
import { createRateProbe, nextPiece, pieceLength } from "./split.ts";

/** Bytes gathered before a write: one fast connection wants large ones, many slow ones little memory. */
const UNIT_ALONE = 1024 * 1024;
const UNIT_SHARED = 256 * 1024;

/**
 * The connections of one try. Begins with one; where that proves slow, the server takes ranges and enough is left, others
 * join it for later pieces. A connection that fails ends alone, and those that go on take over what it left.
 */
export class Crew {
  /** What ends the whole download. */
  fatal: { error: unknown } | undefined;
  /** Upstream has other bytes than those in the file. */
  changed: FerryError | undefined;
  /** How the first connection failed. */
  failure: Outcome | undefined;
  readonly #source: Source;
  readonly #file: PartialFile;
  readonly #stop = new AbortController();
  readonly #done = new AbortController();
  readonly #signal: AbortSignal;
  readonly #active = new Set<Segment>();
  readonly #helpers: Promise<void>[] = [];

  constructor(source: Source, file: PartialFile, signal: AbortSignal) {
    this.#source = source;
    this.#file = file;
    this.#signal = AbortSignal.any([signal, this.#stop.signal]);
    // Every connection listens; more than ten are no leak.
    setMaxListeners(0, this.#signal);
  }

  /** Resolves when every connection has ended; the fields above say how. */
  async work(): Promise<void> {
    await this.#fetchPieces((segment) => this.#contextOfFirst(segment));
    await Promise.all(this.#helpers);
    this.#done.abort();
  }

  async #fetchPieces(contextFor: (segment: Segment) => SegmentContext): Promise<void> {
    for (let segment = this.#claim(); segment !== undefined; segment = this.#claim()) {
      this.#active.add(segment);
      try {
        const end = await fetchSegment(segment, contextFor(segment));
        if (end.kind === "changed") {
          this.changed ??= end.error;
          this.#stop.abort();
        } else if (end.kind === "failed") this.failure ??= end.outcome;
        if (end.kind !== "done") return;
      } catch (error) {
        // Once one has stopped the others, their ends say nothing new.
        if (!this.#stop.signal.aborted) this.fatal ??= { error };
        this.#stop.abort();
        return;
      } finally {
        this.#active.delete(segment);
      }
    }
  }

  /** The next stretch that nobody has or fetches: all up to the next bytes that are there, or a piece once several work. */
  #claim(): Segment | undefined {
    if (this.#signal.aborted || (!this.#source.learned.ranges && this.#file.done > 0)) return undefined;
    const open = this.#open();
    const { connections, split } = this.#source;
    const next = this.#helpers.length === 0 ? open[0] : nextPiece(open, connections, split);
    return next && { ...next, position: next.start };
  }

  #open(): Range[] {
    const taken = [...this.#active].reduce<readonly Range[]>(addRange, this.#file.ranges);
    return gaps(taken, this.#file.total ?? Number.POSITIVE_INFINITY);
  }

  #context(): SegmentContext {
    return {
      source: this.#source,
      file: this.#file,
      signal: this.#signal,
      alone: () => this.#active.size === 1,
      unit: () => (this.#helpers.length === 0 ? UNIT_ALONE : UNIT_SHARED),
      opened: () => undefined,
      received: () => undefined,
    };
  }

  #contextOfFirst(segment: Segment): SegmentContext {
    const seen = { bytes: 0, blocked: 0 };
    return {
      ...this.#context(),
      opened: (ranges) => {
        if (ranges && this.#source.connections > 1) void this.#watch(segment, seen);
      },
      received: (bytes, blocked) => {
        seen.bytes += bytes;
        seen.blocked += blocked;
      },
    };
  }

  /** Judges the first connection in windows of time, whether bytes come or not, until it is done or others were opened. */
  async #watch(segment: Segment, seen: { bytes: number; blocked: number }): Promise<void> {
    const { clock, split } = this.#source;
    const slow = createRateProbe(split, clock.now(), createLoadMeter());
    while (this.#helpers.length === 0 && this.#isWorthMore(segment)) {
      try {
        await clock.sleep(split.probeMs, this.#done.signal);
      } catch {
        return;
      }
      // Under a clock that does not really sleep, the network gets its turn here.
      await nextTurn();
      const { bytes, blocked } = seen;
      seen.bytes = 0;
      seen.blocked = 0;
      if (slow(clock.now(), bytes, blocked) && this.#isWorthMore(segment)) this.#openMore(segment);
    }
  }

  #isWorthMore(segment: Segment): boolean {
    const enough = segment.end - segment.position >= 4 * this.#source.split.minPiece;
    return this.#active.has(segment) && this.#file.total !== undefined && enough;
  }

  #openMore(segment: Segment): void {
    const { connections, split, logger, label } = this.#source;
    const remaining = segment.end - segment.position;
    const own = pieceLength(remaining, connections, split);
    segment.end = segment.position + own;
    const helpers = Math.min(connections - 1, Math.ceil((remaining - own) / split.minPiece));
    logger.debug(
      `${label}: one connection is slow, ${helpers} more take pieces of the other ${totalLength(this.#open())} bytes`,
    );
    for (let i = 0; i < helpers; i++) {
      // Counted before it claims: from the first helper on, pieces are handed out.
      const start = Promise.resolve().then(() => this.#fetchPieces(() => this.#context()));
      this.#helpers.push(start);
    }
  }
}
