import type { Logger, ProgressEvent } from "../../../src/log.ts";

export interface Recorder extends Logger {
  warnings: string[];
  debugs: string[];
  events: ProgressEvent[];
}

export function recorder(): Recorder {
  const warnings: string[] = [];
  const debugs: string[] = [];
  const events: ProgressEvent[] = [];
  return {
    warnings,
    debugs,
    events,
    debug: (message) => void debugs.push(message),
    info: () => undefined,
    warn: (message) => void warnings.push(message),
    progress: (event) => void events.push(event),
  };
}
