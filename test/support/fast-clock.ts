import { interrupted } from "../../src/errors.ts";
import type { Clock } from "../../src/lib/clock.ts";

/** A clock whose sleeps take no time and are written down: waits of minutes are tested in milliseconds. */
export interface FastClock extends Clock {
  /** Milliseconds of every sleep so far. */
  readonly slept: readonly number[];
}

export function fastClock(start: number = Date.parse("2026-10-10T00:00:00Z")): FastClock {
  const slept: number[] = [];
  let now = start;
  return {
    slept,
    now: () => now,
    sleep: (ms, signal) => {
      if (signal?.aborted === true) return Promise.reject(interrupted("waiting"));
      slept.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
}
