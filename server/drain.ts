import type { Clock } from "../src/lib/clock.ts";
import type { Logger } from "../src/log.ts";
import type { MirrorServer } from "./http-server.ts";

interface DrainOptions {
  /** Milliseconds in which readiness already says no and connections are still taken, for balancers to notice. */
  delayMs: number;
  /** Milliseconds that running downloads get. */
  timeoutMs: number;
  clock: Clock;
  logger: Logger;
}

const SWEEP_MS = 100;

/**
 * Stops a server that has been told so (readiness says no already): waits for balancers, takes no more connections, lets
 * running answers end, and cuts those that have not by then.
 */
export async function drain({ server }: MirrorServer, options: DrainOptions): Promise<void> {
  const { delayMs, timeoutMs, clock, logger } = options;
  if (delayMs > 0) await clock.sleep(delayMs);
  const closed = new Promise<void>((resolve) =>
    server.close(() => {
      resolve();
    }),
  );
  // A connection whose answer ends during the drain stays open for a next request: nobody will answer that one.
  const sweep = setInterval(() => {
    server.closeIdleConnections();
  }, SWEEP_MS);
  const waiting = new AbortController();
  const late = clock.sleep(timeoutMs, waiting.signal).then(
    () => {
      logger.warn(`cutting what still runs ${Math.round(timeoutMs / 1000)} s after the stop`);
      server.closeAllConnections();
    },
    () => undefined,
  );
  await closed;
  clearInterval(sweep);
  waiting.abort();
  await late;
}
