import type { Express } from "express";
import { exchangeOf } from "../exchange.ts";
import type { Mirror } from "../mirror.ts";
import { JSON_TYPE, render, sendText } from "../rendered.ts";
import { uvVersions } from "../uv-versions.ts";

const NDJSON_TYPE = "application/x-ndjson; charset=utf-8";
/** No client of a mirror ever waits for a limit. */
const LIMIT = 1_000_000;

/** What clients of GitHub ask for besides releases and files. */
export function githubExtraRoutes(app: Express, mirror: Mirror): void {
  // gh asks REST and GraphQL at once and takes the first answer that is not "not found": here REST always knows better.
  app.post(["/api/graphql", "/graphql"], (request, response) => {
    const body = '{"data":{"repository":{"release":null}}}\n';
    exchangeOf(response).kind = "api";
    exchangeOf(response).bytes = sendText(request, response, 200, body, {}, JSON_TYPE).bytes;
  });

  app.get(["/rate_limit", "/api/v3/rate_limit"], (request, response) => {
    const core = {
      limit: LIMIT,
      used: 0,
      remaining: LIMIT,
      reset: Math.floor(mirror.clock.now() / 1000) + 3600,
    };
    const body = `${JSON.stringify({ resources: { core }, rate: core })}\n`;
    exchangeOf(response).kind = "api";
    exchangeOf(response).bytes = sendText(request, response, 200, body, {}, JSON_TYPE).bytes;
  });

  app.get("/github/versions/main/v1/:file", (request, response) => {
    const { catalog, base } = exchangeOf(response);
    const tool = /^([a-z0-9-]+)\.ndjson$/.exec(request.params.file)?.[1];
    const repo = tool === undefined ? undefined : catalog.repo(`astral-sh/${tool}`);
    if (tool === undefined || repo === undefined) {
      mirror.missing(request, response);
      return;
    }
    mirror.answer(request, response, render(NDJSON_TYPE, uvVersions(repo, tool, base)));
  });
}
