import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { openAccessLog } from "../../../server/access-log.ts";
import { createApp } from "../../../server/app.ts";
import { type AskedRing, createAskedRing } from "../../../server/asked-ring.ts";
import type { Auth } from "../../../server/auth.ts";
import { loadCatalog } from "../../../server/catalog-load.ts";
import { installRoutes } from "../../../server/install/routes.ts";
import { readInstallScript } from "../../../server/install/script.ts";
import { createMetrics } from "../../../server/metrics.ts";
import { createMirror } from "../../../server/mirror.ts";
import { createStreamSender } from "../../../server/senders/stream.ts";
import { viewStore } from "../../../server/store-view.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { silentLogger } from "../../../src/log.ts";

export interface PracticeMirror {
  url: string;
  /** What was asked for, in its order: `GET /path`. */
  requests: string[];
  asked: AskedRing;
  /** Answers a request itself in place of the mirror, and says so by returning true. */
  instead: (request: IncomingMessage, response: ServerResponse) => boolean;
}

const script = await readInstallScript();

/** A real mirror of this store with the install routes, on a free port of this machine, until the running test ends. */
export async function practiceMirror(
  root: string,
  parts: { auth?: Auth; baseUrl?: string } = {},
): Promise<PracticeMirror> {
  const store = viewStore(root);
  const { catalog } = await loadCatalog(store);
  const metrics = createMetrics({ catalog: () => catalog, problem: () => undefined });
  const asked = createAskedRing();
  const mirror = createMirror({
    catalog: () => catalog,
    problem: () => undefined,
    sender: createStreamSender({ idleMs: 60_000 }),
    clock: systemClock,
    logger: silentLogger,
    accessLog: openAccessLog("off", systemClock),
    metrics,
    metricsText: () => metrics.registry.metrics(),
    asked,
    auth: () => parts.auth,
    baseUrl: parts.baseUrl,
    trustProxy: () => false,
    draining: () => false,
    idleMs: 60_000,
  });
  const app = createApp(mirror, store.readSmall, [installRoutes(script)]);
  const served: PracticeMirror = { url: "", requests: [], asked, instead: () => false };
  const server = createServer((request, response) => {
    served.requests.push(`${request.method ?? ""} ${request.url ?? ""}`);
    if (!served.instead(request, response)) app(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  served.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  );
  return served;
}
