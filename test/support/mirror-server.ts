import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { request as httpsRequest } from "node:https";
import { onTestFinished } from "vitest";
import type { AccessEntry } from "../../server/access-log.ts";
import type { AskedRing } from "../../server/asked-ring.ts";
import { type CatalogWatch, watchCatalog } from "../../server/catalog-watch.ts";
import type { MirrorServer } from "../../server/http-server.ts";
import { openLoopbackMirror } from "../../server/loopback-mirror.ts";
import type { Metrics } from "../../server/metrics.ts";
import type { MirrorParts } from "../../server/mirror.ts";
import { viewStore } from "../../server/store-view.ts";
import { compileTrustProxy } from "../../server/trust-proxy.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { Logger } from "../../src/log.ts";

export interface TestMirror {
  url: string;
  server: MirrorServer;
  catalog: CatalogWatch;
  /** What the access log has, one entry a request, in the order in which they ended. */
  log: AccessEntry[];
  /** Resolves with the first `count` entries of the access log, when there are that many. */
  logged(count: number): Promise<AccessEntry[]>;
  /** What the mirror said of itself. */
  said: string[];
  metrics: Metrics;
  asked: AskedRing;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  ask(method: string, path: string, headers?: Record<string, string>): Promise<Answer>;
}

export interface TestMirrorOptions extends Partial<MirrorParts> {
  tls?: { cert: string; key: string };
  trust?: string;
  maxConnections?: number;
}

/** A mirror of this store on a free port of this machine, until the running test ends. */
export async function testMirror(root: string, options: TestMirrorOptions = {}): Promise<TestMirror> {
  const { tls, trust = "loopback", maxConnections = 1000, ...parts } = options;
  const said: string[] = [];
  const logger: Logger = {
    debug: () => undefined,
    info: (message) => said.push(message),
    warn: (message) => said.push(`warning: ${message}`),
    progress: () => undefined,
  };
  const store = viewStore(root);
  const catalog = await watchCatalog(store, { clock: systemClock, logger, pollMs: 0 });
  const log: AccessEntry[] = [];
  const waiting: (() => void)[] = [];
  const { url, server, asked, metrics, close } = await openLoopbackMirror(
    store,
    {
      catalog: catalog.current,
      problem: catalog.problem,
      clock: systemClock,
      logger,
      accessLog: {
        begin: () => undefined,
        write: (entry) => {
          log.push(entry);
          for (const wake of waiting) wake();
        },
        close: () => Promise.resolve(),
      },
      trustProxy: compileTrustProxy(trust),
      ...parts,
    },
    { tls, maxConnections },
  );
  onTestFinished(async () => {
    await close();
    catalog.close();
  });
  const ask: TestMirror["ask"] = (method, path, headers = {}) => rawRequest(url, method, path, headers);
  return {
    url,
    server,
    catalog,
    log,
    said,
    metrics,
    asked,
    ask,
    get: (path, headers) => ask("GET", path, headers),
    logged: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (log.length >= count) resolve(log.slice(0, count));
        };
        waiting.push(look);
        look();
      }),
  };
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  text: string;
  json(): unknown;
}

/** A request whose path goes out as it is written here: URL would tidy it up. `ca` is trusted for https. */
export function rawRequest(
  origin: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  ca?: string,
): Promise<Answer> {
  const { protocol, hostname, port } = new URL(origin);
  const send = protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const options = {
      method,
      hostname,
      port,
      path,
      headers,
      agent: false,
      ...(ca === undefined ? {} : { ca }),
    };
    const request = send(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const body = Buffer.concat(chunks);
        const text = body.toString("utf8");
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body,
          text,
          json: () => JSON.parse(text) as unknown,
        });
      });
    });
    request.on("error", reject);
    request.end();
  });
}
