import type { Express } from "express";
import { exchangeOf } from "../exchange.ts";
import type { Mirror } from "../mirror.ts";
import { sendText } from "../rendered.ts";

/** Prometheus' text format 0.0.4. */
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** For whatever watches the mirror. `/healthz`: the process answers. `/readyz`: send clients here, or not, and why. */
export function healthRoutes(app: Express, mirror: Mirror): void {
  app.get("/healthz", (request, response) => {
    mirror.text(request, response, 200, "ok");
  });
  app.get("/readyz", (request, response) => {
    const { ready, words } = readiness(mirror);
    mirror.text(request, response, ready ? 200 : 503, words);
  });
  app.get("/robots.txt", (request, response) => {
    mirror.text(request, response, 200, "User-agent: *\nDisallow: /");
  });
  app.get("/metrics", async (request, response) => {
    const text = await mirror.metricsText();
    exchangeOf(response).bytes = sendText(request, response, 200, text, {}, METRICS_TYPE).bytes;
  });
}

/** A store that cannot be read does not make the mirror unready: it serves what it had, and says so. */
export function readiness(mirror: Pick<Mirror, "catalog" | "problem" | "draining">): {
  ready: boolean;
  words: string;
} {
  if (mirror.draining()) {
    return { ready: false, words: "stopping: running downloads are finished, no new ones taken" };
  }
  const catalog = mirror.catalog();
  const problem = mirror.problem();
  const held = `${catalog.bundles.length} bundles, ${catalog.files} files`;
  if (problem !== undefined) {
    const since = new Date(problem.since).toISOString();
    const words = `degraded since ${since}: ${problem.message}\nserving what was readable before: ${held}`;
    return { ready: catalog.bundles.length > 0, words };
  }
  if (catalog.bundles.length === 0) {
    return { ready: false, words: "empty: nothing has been imported yet (ferry import BUNDLE --key PUB)" };
  }
  return { ready: true, words: `ready: ${held}` };
}
