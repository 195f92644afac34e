import type { Clock } from "../../lib/clock.ts";
import type { ProgressEvent } from "../../log.ts";
import { createMeter } from "./progress-meter.ts";

/** Shows progress events to people. Works without timers: it draws when something happens, and not too often. */
export interface ProgressDisplay {
  handle(event: ProgressEvent): void;
  /** Takes the display away, so that a message can be written; the next event draws it again. */
  clear(): void;
  /** The last word: nothing is drawn afterwards. */
  close(): void;
}

export interface DisplayOptions {
  write: (text: string) => void;
  clock: Clock;
}

const REDRAW_MS = 200;
const LINE_EVERY_MS = 5000;
const ERASE_LINE = "\r\u001b[2K";

/** One line that redraws itself, never wider than the terminal. */
export function terminalProgress({
  write,
  clock,
  columns,
}: DisplayOptions & { columns: () => number }): ProgressDisplay {
  const meter = createMeter();
  let shown = false;
  let closed = false;
  let drawnAt = Number.NEGATIVE_INFINITY;
  const clear = (): void => {
    if (shown) write(ERASE_LINE);
    shown = false;
  };
  return {
    handle(event) {
      const now = clock.now();
      meter.note(event, now);
      if (closed) return;
      if (meter.idle) clear();
      else if (now - drawnAt >= REDRAW_MS) {
        write(`${ERASE_LINE}${meter.describe(now).slice(0, Math.max(10, columns() - 1))}`);
        shown = true;
        drawnAt = now;
      }
    },
    clear,
    close() {
      clear();
      closed = true;
    },
  };
}

/** A line every five seconds, for logs: work that takes less says nothing. */
export function lineProgress({ write, clock }: DisplayOptions): ProgressDisplay {
  const meter = createMeter();
  let saidAt: number | undefined;
  let closed = false;
  return {
    handle(event) {
      const now = clock.now();
      meter.note(event, now);
      saidAt ??= now;
      if (!closed && !meter.idle && now - saidAt >= LINE_EVERY_MS) {
        write(`${meter.describe(now)}\n`);
        saidAt = now;
      }
    },
    clear: () => undefined,
    close() {
      closed = true;
    },
  };
}
