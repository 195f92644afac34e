import type { Clock } from "../src/lib/clock.ts";
import type { Logger } from "../src/log.ts";
import { openAccessLog } from "./access-log.ts";
import { createApp, type RouteModule } from "./app.ts";
import { type AskedRing, createAskedRing } from "./asked-ring.ts";
import { type Auth, loadAuth } from "./auth.ts";
import { watchCatalog } from "./catalog-watch.ts";
import { drain } from "./drain.ts";
import { createHttpServer, type MirrorServer } from "./http-server.ts";
import { listen } from "./listen.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { createMirror } from "./mirror.ts";
import type { ServeOptions } from "./options.ts";
import { renderAhead } from "./python/index-pages.ts";
import { createSender } from "./senders/create-sender.ts";
import { viewStore } from "./store-view.ts";
import { compileTrustProxy } from "./trust-proxy.ts";
import { watchFiles } from "./watch-files.ts";

export interface ProcessParts {
  clock: Clock;
  logger: Logger;
  /** Routes of others: the page, install plans. */
  routes: readonly RouteModule[];
  /** Where there are several processes: hands this one's metrics in, and gives what returns the text of all. */
  joinMetrics?: (metrics: Metrics) => () => Promise<string>;
  asked?: AskedRing;
}

/** A process that serves. */
export interface Serving {
  url: string;
  /** Readiness first, then the door, then the guests; resolves when all have left. */
  stop(): Promise<void>;
}

/** Ends something that would outlive the server. */
type End = () => void | Promise<void>;

/** Builds the mirror of its parts and listens. Throws what is wrong with the options or the store. */
export async function runProcess(options: ServeOptions, parts: ProcessParts): Promise<Serving> {
  const { clock, logger } = parts;
  const ends: End[] = [];
  const endAll = async (): Promise<void> => {
    for (const end of ends.reverse()) await end();
  };
  try {
    let draining = false;
    const server = await buildServer(options, parts, ends, () => draining);
    const url = await listen(server, options.listen);
    return {
      url,
      stop: async () => {
        draining = true;
        const delayMs = options.drainDelay * 1000;
        await drain(server, { delayMs, timeoutMs: options.drainTimeout * 1000, clock, logger });
        await endAll();
      },
    };
  } catch (error) {
    await endAll();
    throw error;
  }
}

/** Whatever has to be ended with the process is added to `ends`. */
async function buildServer(
  options: ServeOptions,
  parts: ProcessParts,
  ends: End[],
  draining: () => boolean,
): Promise<MirrorServer> {
  const { clock, logger } = parts;
  const idleMs = options.idleTimeout * 1000;
  const store = viewStore(options.store);
  const trustProxy = compileTrustProxy(options.trustProxy);
  const guard = await watchAuth(options.auth, logger);
  ends.push(guard.close);
  const { sendfile, accel, tls } = options;
  const { sender, why } = await createSender({ idleMs, sendfile, accel, tls: tls !== undefined });
  logger.info(why);
  const accessLog = openAccessLog(options.accessLog, clock);
  ends.push(accessLog.close);
  const catalog = await watchCatalog(store, { clock, logger });
  ends.push(catalog.close);
  logger.info(`store: ${store.root}`);
  renderAhead(catalog.current().python);
  catalog.onChange(({ python }) => {
    renderAhead(python);
  });
  const observed = { catalog: catalog.current, problem: catalog.problem };
  const metrics = createMetrics(observed);
  const mirror = createMirror({
    ...observed,
    sender,
    clock,
    logger,
    accessLog,
    metrics,
    metricsText: parts.joinMetrics?.(metrics) ?? (() => metrics.registry.metrics()),
    asked: parts.asked ?? createAskedRing(),
    auth: guard.current,
    baseUrl: options.baseUrl,
    trustProxy,
    draining,
    idleMs,
  });
  const app = createApp(mirror, store.readSmall, parts.routes);
  const server = await createHttpServer(app, { tls, maxConnections: options.maxConnections, logger });
  ends.push(server.close);
  return server;
}

/** The credentials of `--auth`, read again when the file changes; a file that became unreadable leaves the old ones. */
async function watchAuth(
  file: string | undefined,
  logger: Logger,
): Promise<{ current: () => Auth | undefined; close: () => void }> {
  if (file === undefined) return { current: () => undefined, close: () => undefined };
  let auth: Auth | undefined;
  // Watched before it is read, so that no change falls between the two.
  const watch = await watchFiles([file], {
    pollMs: 1000,
    onChange: async () => {
      try {
        auth = await loadAuth(file);
        logger.info(`credentials read again from ${file}`);
      } catch (error) {
        logger.warn(`the old credentials stay: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
  });
  try {
    auth = await loadAuth(file);
  } catch (error) {
    watch.close();
    throw error;
  }
  return { current: () => auth, close: watch.close };
}
