import type { Clock } from "../../../src/lib/clock.ts";

/** A clock on which `step` milliseconds pass between any two looks at it; sleeping takes no time. */
export function tickingClock(step: number): Clock {
  let now = Date.parse("2026-10-10T00:00:00Z");
  return {
    now: () => (now += step),
    sleep: (ms) => {
      now += ms;
      return Promise.resolve();
    },
  };
}
