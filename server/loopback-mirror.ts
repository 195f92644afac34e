import { createApp } from "./app.ts";
import { type AskedRing, createAskedRing } from "./asked-ring.ts";
import { createHttpServer, type MirrorServer, type TlsFiles } from "./http-server.ts";
import { listen } from "./listen.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { createMirror, type MirrorParts } from "./mirror.ts";
import { createStreamSender } from "./senders/stream.ts";
import type { StoreView } from "./store-view.ts";
import { compileTrustProxy } from "./trust-proxy.ts";

/** Milliseconds without progress after which a client is dropped. */
const IDLE_MS = 60_000;

/** What a loopback mirror must be told; every other part of it may be. */
export type LoopbackParts = Pick<MirrorParts, "catalog" | "problem" | "clock" | "logger"> &
  Partial<MirrorParts>;

export interface LoopbackMirror {
  /** Without a slash at the end. */
  url: string;
  server: MirrorServer;
  asked: AskedRing;
  metrics: Metrics;
  /** Drops all clients. */
  close: () => Promise<void>;
}

/** A mirror on a free port of the loopback, with streams, for everybody and without access log where `parts` say no other. */
export async function openLoopbackMirror(
  { readSmall }: Pick<StoreView, "readSmall">,
  parts: LoopbackParts,
  { tls, maxConnections }: { tls?: TlsFiles | undefined; maxConnections: number },
): Promise<LoopbackMirror> {
  const metrics = createMetrics({ catalog: parts.catalog, problem: parts.problem });
  const asked = createAskedRing();
  const mirror = createMirror({
    sender: createStreamSender({ idleMs: IDLE_MS }),
    accessLog: { begin: () => undefined, write: () => undefined, close: () => Promise.resolve() },
    metrics,
    metricsText: () => metrics.registry.metrics(),
    asked,
    auth: () => undefined,
    baseUrl: undefined,
    trustProxy: compileTrustProxy("loopback"),
    draining: () => false,
    idleMs: IDLE_MS,
    ...parts,
  });
  const server = await createHttpServer(createApp(mirror, readSmall), {
    tls,
    maxConnections,
    pollMs: 0,
    logger: parts.logger,
  });
  const url = await listen(server, { host: "127.0.0.1", port: 0 });
  return {
    url,
    server,
    asked,
    metrics,
    close: async () => {
      const closed = new Promise((resolve) => server.server.close(resolve));
      server.server.closeAllConnections();
      await closed;
      metrics.registry.clear();
    },
  };
}
