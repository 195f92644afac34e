import express, { type ErrorRequestHandler, type Express } from "express";
import { exchangeOf } from "./exchange.ts";
import { createFastHandler, type Handler } from "./fast-handler.ts";
import type { Mirror } from "./mirror.ts";
import { indexRoutes } from "./python/index-routes.ts";
import { lockRoutes } from "./python/lock-routes.ts";
import { pypiRoutes } from "./python/pypi-routes.ts";
import { bundleRoutes, type ReadSmall } from "./routes/bundles.ts";
import { githubExtraRoutes } from "./routes/github-extras.ts";
import { healthRoutes } from "./routes/health.ts";
import { releaseRoutes } from "./routes/releases.ts";

/** Adds routes of its own (the page for people, install plans) before the last word, which is 404. */
export type RouteModule = (app: Express, mirror: Mirror) => void;

/** The mirror as a function of requests; whoever calls this listens. */
export function createApp(mirror: Mirror, readSmall: ReadSmall, more: readonly RouteModule[] = []): Handler {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.set("case sensitive routing", true);
  app.set("query parser", false);

  healthRoutes(app, mirror);
  releaseRoutes(app, mirror);
  githubExtraRoutes(app, mirror);
  bundleRoutes(app, mirror, readSmall);
  indexRoutes(app, mirror);
  pypiRoutes(app, mirror);
  lockRoutes(app, mirror, readSmall);
  for (const routes of more) routes(app, mirror);

  app.use((request, response) => {
    if (request.method === "GET" || request.method === "HEAD") {
      mirror.missing(request, response);
      return;
    }
    mirror.text(request, response, 405, "This mirror is read only: GET and HEAD.", { allow: "GET, HEAD" });
  });
  app.use(answerFault(mirror));
  // Express is itself a handler of Node's requests; only its types speak of its own.
  return createFastHandler(mirror, app);
}

/** A fault of ours must not take the process along, nor say more to the client than that it is one. */
function answerFault(mirror: Mirror): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const exchange = exchangeOf(response);
    exchange.failure = error instanceof Error ? error.message : String(error);
    mirror.logger.warn(`request /${exchange.path} failed: ${exchange.failure}`);
    // Express cuts the connection of an answer that had begun.
    if (response.headersSent) next(error);
    else mirror.text(request, response, 500, "The mirror failed on this request; its log says why.");
  };
}
