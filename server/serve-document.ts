import type { BundleDocument } from "../src/bundle/document.ts";
import { canonicalJson } from "../src/lib/canonical-json.ts";
import type { Clock } from "../src/lib/clock.ts";
import { digestOf } from "../src/lib/digest.ts";
import type { Logger } from "../src/log.ts";
import { createApp } from "./app.ts";
import { createAskedRing } from "./asked-ring.ts";
import { buildCatalog } from "./catalog.ts";
import { createHttpServer } from "./http-server.ts";
import { listen } from "./listen.ts";
import { createMetrics } from "./metrics.ts";
import { createMirror } from "./mirror.ts";
import { createStreamSender } from "./senders/stream.ts";
import { viewStore } from "./store-view.ts";
import { compileTrustProxy } from "./trust-proxy.ts";

/** Milliseconds without progress after which a client is dropped. */
const IDLE_MS = 60_000;

export interface ServedDocument {
  /** Without a slash at the end. */
  url: string;
  /** Paths that were asked for and are not in the document. */
  missed(): string[];
  close(): Promise<void>;
}

/**
 * A mirror of one document alone, on a free port of the loopback: what a node behind the gap would see of a bundle that is
 * not written yet. The contents lie in the store at `root`.
 */
export async function serveDocument(
  document: BundleDocument,
  root: string,
  { clock, logger }: { clock: Clock; logger: Logger },
): Promise<ServedDocument> {
  const store = viewStore(root);
  const bytes = Buffer.from(canonicalJson(document));
  const descriptor = { mediaType: "application/json", digest: digestOf(bytes), size: bytes.length };
  const catalog = buildCatalog(
    [
      {
        document,
        manifest: descriptor,
        documentDigest: descriptor.digest,
        importedAt: undefined,
        yields: false,
        signedBy: undefined,
        signatures: [],
        signatureManifest: undefined,
      },
    ],
    { pathOf: store.pathOf, present: await store.present() },
  );
  const metrics = createMetrics({ catalog: () => catalog, problem: () => undefined });
  const asked = createAskedRing();
  const mirror = createMirror({
    catalog: () => catalog,
    problem: () => undefined,
    sender: createStreamSender({ idleMs: IDLE_MS }),
    clock,
    logger,
    accessLog: { begin: () => undefined, write: () => undefined, close: () => Promise.resolve() },
    metrics,
    metricsText: () => metrics.registry.metrics(),
    asked,
    auth: () => undefined,
    baseUrl: undefined,
    trustProxy: compileTrustProxy("loopback"),
    draining: () => false,
    idleMs: IDLE_MS,
  });
  const server = await createHttpServer(createApp(mirror, store.readSmall), {
    tls: undefined,
    maxConnections: 256,
    pollMs: 0,
    logger,
  });
  const url = await listen(server, { host: "127.0.0.1", port: 0 });
  return {
    url,
    missed: () => asked.recent().map(({ path }) => path),
    close: async () => {
      const closed = new Promise((resolve) => server.server.close(resolve));
      server.server.closeAllConnections();
      await closed;
      metrics.registry.clear();
    },
  };
}
