import type { IncomingMessage, ServerResponse } from "node:http";
import { isFerryError } from "../src/errors.ts";
import type { Clock } from "../src/lib/clock.ts";
import type { Logger } from "../src/log.ts";
import type { AccessLog } from "./access-log.ts";
import type { AskedRing } from "./asked-ring.ts";
import type { Auth } from "./auth.ts";
import type { TrustProxy } from "./base-url.ts";
import type { BodySender, ServedBlob } from "./blob-sender.ts";
import type { Catalog } from "./catalog.ts";
import type { CatalogProblem } from "./catalog-watch.ts";
import { exchangeOf } from "./exchange.ts";
import { explainMissing } from "./explain-missing.ts";
import type { AnswerKind, Metrics } from "./metrics.ts";
import { classOf } from "./path-class.ts";
import { HTML_TYPE, JSON_TYPE, type Rendered, sendRendered, sendText } from "./rendered.ts";
import { createRenderedCache, type RenderedCache } from "./rendered-cache.ts";
import { sendBlob } from "./send-blob.ts";
import { DeliveryError } from "./senders/delivery-error.ts";
import { asksForWhole, isKept, renderFile } from "./small-file.ts";

/** What the mirror is made of. Everything is passed in, so that a test makes one of parts of its own. */
export interface MirrorParts {
  catalog: () => Catalog;
  problem: () => CatalogProblem | undefined;
  sender: BodySender;
  clock: Clock;
  logger: Logger;
  accessLog: AccessLog;
  metrics: Metrics;
  /** The text of `/metrics`, of all processes of this mirror together. */
  metricsText: () => Promise<string>;
  asked: AskedRing;
  /** undefined: everybody may read. Asked at every request, so that a changed file counts at once. */
  auth: () => Auth | undefined;
  baseUrl: string | undefined;
  trustProxy: TrustProxy;
  /** True from the moment that the mirror was told to stop. */
  draining: () => boolean;
  /** Milliseconds without progress after which a client that takes an answer is dropped. */
  idleMs: number;
}

/** The mirror as routes see it: the ways to answer, which all end in the same log and the same metrics. */
export interface Mirror extends MirrorParts {
  /** Sends a carried file. `fixed`: this address will never mean other bytes. `by`: what moves its bytes. */
  file: (
    request: IncomingMessage,
    response: ServerResponse,
    blob: ServedBlob,
    fixed: boolean,
    by?: BodySender,
  ) => void;
  /** Sends a rendered answer, and keeps it (by default) for the next who asks the same, as long as the catalog stands. */
  answer: (request: IncomingMessage, response: ServerResponse, rendered: Rendered, keep?: boolean) => void;
  text: (
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    text: string,
    headers?: Readonly<Record<string, string>>,
  ) => void;
  /** 404 with what is missing, what is near and what would bring it; counted and remembered. JSON where an API client asks. */
  missing: (request: IncomingMessage, response: ServerResponse) => void;
  cached: (catalog: Catalog) => RenderedCache;
}

const REVALIDATE = "no-cache";
const IMMUTABLE = undefined;
/** Larger answers may not fit into the kernel's buffers, so a client could hold them in our memory by not reading. */
const HELD_BY_KERNEL = 64 * 1024;

export function createMirror(parts: MirrorParts): Mirror {
  const caches = new WeakMap<Catalog, RenderedCache>();
  const cached = (catalog: Catalog): RenderedCache => {
    const cache = caches.get(catalog) ?? createRenderedCache();
    caches.set(catalog, cache);
    return cache;
  };
  const text: Mirror["text"] = (request, response, status, words, headers) => {
    exchangeOf(response).bytes = sendText(request, response, status, `${words}\n`, headers).bytes;
  };
  return {
    ...parts,
    cached,
    text,
    file: (request, response, blob, fixed, sender = parts.sender) => {
      const exchange = exchangeOf(response);
      exchange.kind = "file";
      const send = (): Promise<void> => sendFile({ ...parts, sender }, request, response, blob, fixed);
      if (exchange.cacheKey === "" || !isKept(blob) || !asksForWhole(request)) exchange.sending = send();
      else exchange.sending = sendKept(cached(exchange.catalog), request, response, blob, fixed, send);
    },
    answer: (request, response, rendered, keep = true) => {
      const exchange = exchangeOf(response);
      exchange.kind = kindOf(rendered);
      if (rendered.body.length > HELD_BY_KERNEL) response.setTimeout(parts.idleMs, () => response.destroy());
      exchange.bytes = sendRendered(request, response, rendered).bytes;
      if (keep && exchange.cacheKey !== "") cached(exchange.catalog).set(exchange.cacheKey, rendered);
    },
    missing: (request, response) => {
      const { catalog, path, base } = exchangeOf(response);
      const kind = classOf(path);
      parts.metrics.notFound(kind);
      parts.asked.record(path, kind, parts.clock.now());
      const words = explainMissing(catalog, path, base);
      if (kind !== "release-api") {
        text(request, response, 404, words.trimEnd());
        return;
      }
      // gh and other clients of the API show `message` and nothing of a plain text.
      const body = `${JSON.stringify({ message: `Not Found. ${words.trimEnd()}`, documentation_url: `${base}/`, status: "404" })}\n`;
      exchangeOf(response).bytes = sendText(request, response, 404, body, {}, JSON_TYPE).bytes;
    },
  };
}

function kindOf({ file, contentType }: Rendered): AnswerKind {
  if (file === true) return "file";
  return contentType === HTML_TYPE ? "page" : "api";
}

/** Sends a small file from memory and keeps it there; `otherwise` where its bytes are not what they must be. */
async function sendKept(
  cache: RenderedCache,
  request: IncomingMessage,
  response: ServerResponse,
  blob: ServedBlob,
  fixed: boolean,
  otherwise: () => Promise<void>,
): Promise<void> {
  const rendered = await renderFile(blob, fixed);
  if (rendered === undefined) return otherwise();
  const exchange = exchangeOf(response);
  exchange.bytes = sendRendered(request, response, rendered).bytes;
  cache.set(exchange.cacheKey, rendered);
}

async function sendFile(
  { sender, metrics, logger }: MirrorParts,
  request: IncomingMessage,
  response: ServerResponse,
  blob: ServedBlob,
  fixed: boolean,
): Promise<void> {
  const exchange = exchangeOf(response);
  const ended = metrics.downloadStarted();
  try {
    const { bytes } = await sendBlob(request, response, blob, sender, fixed ? IMMUTABLE : REVALIDATE);
    exchange.bytes = bytes;
  } catch (error) {
    exchange.failure = error instanceof Error ? error.message : String(error);
    if (error instanceof DeliveryError) metrics.downloadCut();
    else {
      const hint = isFerryError(error) && error.hint !== undefined ? ` (${error.hint})` : "";
      logger.warn(`cannot serve ${blob.name} (${blob.digest}): ${exchange.failure}${hint}`);
      if (!response.writableEnded) response.destroy();
    }
  } finally {
    ended();
  }
}
