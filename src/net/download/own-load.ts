import { performance } from "node:perf_hooks";

/** Tells, at every call, how busy this process's thread was since the call before: 0 idle, 1 never waiting. */
export function createLoadMeter(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}
