import { once } from "node:events";
import { interrupted } from "../src/errors.ts";
import { type Clock, systemClock } from "../src/lib/clock.ts";
import type { Logger } from "../src/log.ts";
import type { ServeOptions } from "./options.ts";
import { loadRouteModules } from "./route-modules.ts";
import { runPrimary } from "./run-primary.ts";
import { runProcess } from "./run-process.ts";

export interface ServeParts {
  /** Aborted when the mirror is to stop. */
  signal: AbortSignal;
  logger: Logger;
  /** Standard output: one line, `listening on URL`, when connections are accepted. */
  write: (text: string) => Promise<void>;
  clock?: Clock;
}

/**
 * Serves until the signal says stop; then running downloads are finished, and it resolves. Throws what is wrong with the
 * options, the store or the address before anything is served.
 */
export async function serve(options: ServeOptions, parts: ServeParts): Promise<void> {
  const { signal, logger, write, clock = systemClock } = parts;
  if (signal.aborted) throw interrupted("serving");
  const announce = (url: string): Promise<void> => write(`listening on ${url}\n`);
  if (options.workers > 1) {
    await runPrimary(options, { signal, clock, logger, onListening: announce });
    return;
  }
  const serving = await runProcess(options, { clock, logger, routes: await loadRouteModules() });
  await announce(serving.url);
  await untilAborted(signal);
  await serving.stop();
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}
