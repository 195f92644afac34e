import { setTimeout as delay } from "node:timers/promises";
import { interrupted } from "../errors.ts";

/** Time as a thing that is passed in, so that tests can decide what it is. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with INTERRUPTED when the signal aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    } catch {
      throw interrupted("waiting");
    }
  },
};
