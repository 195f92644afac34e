import type { IncomingMessage, ServerResponse } from "node:http";
import { encodePath } from "../src/wire/github.ts";
import { type Batch, createBatch } from "./answer-batch.ts";
import { baseUrlOf, clientOf } from "./base-url.ts";
import { beginExchange, type Exchange, exchangeOf, isRead } from "./exchange.ts";
import type { Mirror } from "./mirror.ts";
import { parseRequestPath, type RequestPath } from "./request-path.ts";
import { resolveFile } from "./resolve-file.ts";
import { asksForWhole } from "./small-file.ts";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Answered to everybody: whoever watches a process has no password for it. */
const OPEN = new Set(["healthz", "readyz"]);
const MAX_ACCEPT = 200;

/**
 * The first to see a request. Answers what costs nothing to answer (carried files, and whatever was rendered before) by
 * itself, because a router costs five times a bare handler (measured), and gives everything else to `next`. Refuses
 * malformed paths and strangers, and writes the access log and metrics of all.
 */
export function createFastHandler(mirror: Mirror, next: Handler): Handler {
  const batch = createBatch();
  // One function for all responses: a closure and a wrapper for each are much of what a small answer costs.
  function onClose(this: ServerResponse): void {
    const exchange = exchangeOf(this);
    if (exchange.sending === undefined) finish(mirror, this, exchange);
    else {
      void exchange.sending.finally(() => {
        finish(mirror, this, exchange);
      });
    }
  }
  return (request, response) => {
    const target = parseRequestPath(request.url ?? "");
    const base = baseUrlOf(request, mirror);
    const exchange = newExchange(mirror, request, target, base);
    beginExchange(response, exchange);
    mirror.accessLog.begin();
    response.on("close", onClose);
    // A client that goes away while it is written to is seen by whoever writes; here it must only not be a crash.
    response.on("error", ignore);
    if (mirror.draining()) response.setHeader("connection", "close");

    if (!target.ok) mirror.text(request, response, target.status, target.reason);
    else if (base === undefined) {
      mirror.text(request, response, 400, "The Host header is not a host name or address.");
    } else if (admit(mirror, request, response, exchange) && !answered(mirror, batch, request, response)) {
      if (!target.plain) request.url = plainUrl(target);
      next(request, response);
    }
  };
}

function ignore(): void {
  // Nothing is to be done.
}

function newExchange(
  mirror: Mirror,
  request: IncomingMessage,
  target: RequestPath,
  base: string | undefined,
): Exchange {
  return {
    started: mirror.clock.now(),
    path: target.ok ? target.path : "",
    query: target.ok ? target.query : "",
    target: request.url ?? "",
    client: clientOf(request, mirror.trustProxy),
    base: base ?? "",
    catalog: mirror.catalog(),
    cacheKey: "",
    user: undefined,
    kind: "text",
    bytes: 0,
    failure: undefined,
    sending: undefined,
  };
}

function admit(
  mirror: Mirror,
  request: IncomingMessage,
  response: ServerResponse,
  exchange: Exchange,
): boolean {
  const auth = mirror.auth();
  if (auth === undefined || OPEN.has(exchange.path)) return true;
  exchange.user = auth.check(request.headers.authorization);
  if (exchange.user !== undefined) return true;
  const words =
    request.headers.authorization === undefined
      ? "This mirror asks for a token or a password. Give Authorization: Bearer TOKEN, or a user and password."
      : "This mirror does not know that token or password.";
  mirror.text(request, response, 401, words, {
    "www-authenticate": 'Basic realm="engine-ferry", charset="UTF-8"',
  });
  return false;
}

/** Answers from what is at hand; false where that takes a router. */
function answered(mirror: Mirror, batch: Batch, request: IncomingMessage, response: ServerResponse): boolean {
  const exchange = exchangeOf(response);
  const { catalog, base, path } = exchange;
  if (!isRead(request)) {
    if (resolveFile(catalog, path) === undefined) return false;
    mirror.text(request, response, 405, "Files are read with GET or HEAD.", { allow: "GET, HEAD" });
    return true;
  }
  const { accept = "" } = request.headers;
  if (accept.length <= MAX_ACCEPT) exchange.cacheKey = `${base} ${request.url ?? ""} ${accept}`;
  const rendered = exchange.cacheKey === "" ? undefined : mirror.cached(catalog).get(exchange.cacheKey);
  if (rendered !== undefined && (rendered.file !== true || asksForWhole(request))) {
    batch(() => {
      // Whoever left meanwhile is logged as that.
      if (!request.socket.destroyed) mirror.answer(request, response, rendered, false);
    });
    return true;
  }
  const file = resolveFile(catalog, path);
  if (file === undefined) return false;
  mirror.file(request, response, file.blob, file.fixed);
  return true;
}

/** The target as a router reads it: single slashes, every part encoded. */
function plainUrl({ path, query }: RequestPath & { ok: true }): string {
  return `/${encodePath(path)}${query === "" ? "" : `?${query}`}`;
}

function finish(mirror: Mirror, response: ServerResponse, exchange: Exchange): void {
  const { headers, method = "" } = response.req;
  const { client, kind, bytes, path, failure, user, started } = exchange;
  mirror.metrics.answered(method, response.statusCode, kind, bytes);
  mirror.accessLog.write({
    client,
    user,
    method,
    path: `/${path.slice(0, 1024)}`,
    status: response.statusCode,
    bytes,
    ms: mirror.clock.now() - started,
    range: headers.range,
    agent: headers["user-agent"]?.slice(0, 200),
    cut: response.writableFinished ? undefined : true,
    failure,
  });
}
