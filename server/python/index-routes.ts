import type { Express, Request, Response } from "express";
import { digestOf, hexOf } from "../../src/lib/digest.ts";
import { encodePath } from "../../src/wire/github.ts";
import {
  projectHtml,
  projectJson,
  projectsHtml,
  projectsJson,
  SIMPLE_JSON,
  type SimpleProject,
} from "../../src/wire/simple-index.ts";
import { normaliseProject } from "../../src/wire/wheel-name.ts";
import { exchangeOf } from "../exchange.ts";
import type { Mirror } from "../mirror.ts";
import { type Rendered, render } from "../rendered.ts";
import { negotiate } from "./negotiate.ts";
import { type IndexedWheel, type ProjectWheels, SIMPLE } from "./python-catalog.ts";
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
  const names = [...projects.keys()];
  const type = negotiate(request.headers.accept);
  const page = type === SIMPLE_JSON ? projectsJson(names) : projectsHtml(names);
  mirror.answer(request, response, renderAs(type, page));
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
  const project = describe(name, wheels, "../".repeat(folder.split("/").length + 1));
  const type = negotiate(request.headers.accept);
  const page = type === SIMPLE_JSON ? projectJson(project) : projectHtml(project);
  mirror.answer(request, response, renderAs(type, page));
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

/**
 * Addresses of files are relative, so that they lead to this mirror by whatever name and prefix a client knows it.
 * `root` leads from the page to the mirror's own root.
 */
function describe(name: string, wheels: readonly IndexedWheel[], root: string): SimpleProject {
  return {
    name,
    versions: [...new Set(wheels.map(({ wheel }) => wheel.version))],
    files: wheels.map(({ wheel, filename, digest, size, metadata }) => ({
      filename,
      url: `${root}${encodePath(wheel.path)}`,
      sha256: hexOf(digest),
      size,
      uploadTime: wheel.uploadedAt,
      requiresPython: wheel.requiresPython,
      yanked: wheel.yanked,
      metadata: metadata === undefined ? undefined : hexOf(metadata),
    })),
  };
}

/** Two types of one page are two answers: each has a tag of its own. */
function renderAs(type: string, page: string): Rendered {
  const rendered = render(type, page);
  return { ...rendered, etag: `"${hexOf(digestOf(`${type} ${rendered.etag}`)).slice(0, 40)}"` };
}
