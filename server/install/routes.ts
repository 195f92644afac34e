import type { RouteModule } from "../app.ts";
import { exchangeOf } from "../exchange.ts";
import { classOf } from "../path-class.ts";
import { render, renderJson, TEXT_TYPE } from "../rendered.ts";
import { planInstall } from "./plan.ts";
import { planText } from "./plan-text.ts";
import { parseQuestion } from "./question.ts";
import { renderInstallScript } from "./script.ts";

/**
 * `/install.sh` and `/v1/install/{engine}/{version}`. `script` is what `readInstallScript` gave. A refusal is an answer
 * like any other (200): it is what the node wanted to know. What is not carried counts as asked for and not found.
 */
export function installRoutes(script: string): RouteModule {
  return (app, mirror) => {
    app.get("/install.sh", (request, response) => {
      const text = renderInstallScript(script, exchangeOf(response).base);
      // As text: who opens it in a browser wants to read it.
      if (text !== undefined) mirror.answer(request, response, render(TEXT_TYPE, text));
      else mirror.text(request, response, 400, "This mirror's address cannot be written into a script.");
    });
    app.get("/v1/install/:engine/:version", (request, response) => {
      const exchange = exchangeOf(response);
      const { catalog, path, query } = exchange;
      const { engine, version } = request.params;
      const question = parseQuestion(engine, version, query);
      if (typeof question === "string") {
        mirror.text(request, response, 400, question);
        return;
      }
      const plan = planInstall(catalog, question);
      if (plan.refusal?.kind === "not-carried") {
        // Rendered again each time, so that each time counts.
        exchange.cacheKey = "";
        const kind = classOf(path);
        mirror.metrics.notFound(kind);
        mirror.asked.record(path, kind, mirror.clock.now());
      }
      const asText = request.accepts(["application/json", "text/plain"]) === "text/plain";
      mirror.answer(request, response, asText ? render(TEXT_TYPE, planText(plan)) : renderJson(plan));
    });
  };
}
