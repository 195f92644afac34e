import type { Express, Request, Response } from "express";
import { normaliseProject } from "../../src/wire/wheel-name.ts";
import { exchangeOf } from "../exchange.ts";
import type { Mirror } from "../mirror.ts";
import { projectPage, projectsPage } from "./index-pages.ts";
import { negotiate } from "./negotiate.ts";
import { type ProjectWheels, SIMPLE } from "./python-catalog.ts";
import { pathAsked, redirectTo } from "./redirect.ts";

/**
 * The carried wheels as a package index: `/simple/` and `/whl/NAME/`, with a page for each project. What is not here is
 * 404 and nothing else: 401 and 403 make clients give up the whole search.
 */
export function indexRoutes(app: Express, mirror: Mirror): void {
  app.get("/simple", (request, response) => {
    answerProjects(mirror, request, response, SIMPLE);
  });
  app.get("/simple/:project", (request, response) => {
    answerProject(mirror, request, response, SIMPLE);
  });
  app.get("/whl/:index", (request, response) => {
    answerProjects(mirror, request, response, `whl/${request.params.index}`);
  });
  app.get("/whl/:index/:project", (request, response) => {
    answerProject(mirror, request, response, `whl/${request.params.index}`);
  });
}

function answerProjects(mirror: Mirror, request: Request, response: Response, folder: string): void {
  const projects = indexOf(response, folder);
  if (projects === undefined) {
    mirror.missing(request, response);
    return;
  }
  if (redirected(mirror, request, response, `${folder}/`)) return;
  const type = negotiate(request.headers.accept);
  mirror.answer(request, response, projectsPage(projects, type));
}

function answerProject(
  mirror: Mirror,
  request: Request<{ project: string }>,
  response: Response,
  folder: string,
): void {
  const name = normaliseProject(request.params.project);
  const wheels = indexOf(response, folder)?.get(name);
  if (wheels === undefined) {
    mirror.missing(request, response);
    return;
  }
  if (redirected(mirror, request, response, `${folder}/${name}/`)) return;
  const type = negotiate(request.headers.accept);
  mirror.answer(request, response, projectPage(wheels, type, folder, name));
}

function indexOf(response: Response, folder: string): ProjectWheels | undefined {
  return exchangeOf(response).catalog.python?.indexes.get(folder);
}

/** Links are relative to the page's address, so there is one address: with this spelling and a slash at its end. */
function redirected(mirror: Mirror, request: Request, response: Response, path: string): boolean {
  if (pathAsked(response) === `/${path}`) return false;
  redirectTo(mirror, request, response, path);
  return true;
}
