import type { Express, Request, Response } from "express";
import type { Publication } from "../../src/bundle/document-python.ts";
import { hexOf } from "../../src/lib/digest.ts";
import { compareVersions } from "../../src/recipe/version.ts";
import { encodePath } from "../../src/wire/github.ts";
import { canonicalVersion } from "../../src/wire/pep440.ts";
import { type PypiFile, type PypiRelease, projectJsonOf, releaseJsonOf } from "../../src/wire/pypi-json.ts";
import { pythonDownloads } from "../../src/wire/python-downloads.ts";
import { normaliseProject } from "../../src/wire/wheel-name.ts";
import { exchangeOf } from "../exchange.ts";
import type { Mirror } from "../mirror.ts";
import { renderJson } from "../rendered.ts";
import type { IndexedWheel, PythonCatalog } from "./python-catalog.ts";
import { redirectTo } from "./redirect.ts";

/** What indexes answer besides pages of links, and uv's table of interpreters. */
export function pypiRoutes(app: Express, mirror: Mirror): void {
  app.get("/pypi/:project/json", (request, response) => {
    const releases = releasesHere(mirror, request, response, "json");
    if (releases === undefined) return;
    const [latest] = [...releases.values()].sort(newestFirst);
    if (latest === undefined) mirror.missing(request, response);
    else mirror.answer(request, response, renderJson(projectJsonOf(latest, [...releases.values()])));
  });
  app.get("/pypi/:project/:version/json", (request, response) => {
    const { version } = request.params;
    const releases = releasesHere(mirror, request, response, `${version}/json`);
    if (releases === undefined) return;
    const release = releases.get(canonicalVersion(version));
    if (release === undefined) mirror.missing(request, response);
    else mirror.answer(request, response, renderJson(releaseJsonOf(release)));
  });
  app.get("/python-downloads.json", (request, response) => {
    const { catalog, base } = exchangeOf(response);
    if (catalog.python === undefined) {
      mirror.missing(request, response);
      return;
    }
    const served = catalog.python.interpreters.map(({ interpreter, digest }) => ({
      ...interpreter,
      url: `${base}/${encodePath(interpreter.path)}`,
      sha256: hexOf(digest),
    }));
    mirror.answer(request, response, renderJson(pythonDownloads(served)));
  });
}

/** The releases of the project that is asked for; undefined where the answer has been given already. */
function releasesHere(
  mirror: Mirror,
  request: Request<{ project: string }>,
  response: Response,
  rest: string,
): ReadonlyMap<string, PypiRelease> | undefined {
  const { catalog, base } = exchangeOf(response);
  const project = normaliseProject(request.params.project);
  const releases = catalog.python === undefined ? undefined : releasesOf(catalog.python, project, base);
  if (releases === undefined || releases.size === 0) {
    mirror.missing(request, response);
    return undefined;
  }
  if (project === request.params.project) return releases;
  redirectTo(mirror, request, response, `pypi/${project}/${rest}`);
  return undefined;
}

/**
 * A release is what its publication says, and that is frozen: a build that upstream adds days later must not move the time
 * that agents resolve at (vllm 0.23.0-2 did). Of projects that are only depended on, the carried wheels are the release.
 */
function releasesOf(python: PythonCatalog, project: string, base: string): Map<string, PypiRelease> {
  const releases = new Map<string, { project: string; version: string; files: PypiFile[] }>();
  const wheels = python.projects.get(project) ?? [];
  for (const indexed of wheels) {
    const { version } = indexed.wheel;
    const key = canonicalVersion(version);
    const release = releases.get(key) ?? { project, version, files: [] };
    releases.set(key, release);
    release.files.push(carriedFile(indexed, base));
  }
  for (const [key, publication] of python.publications.get(project) ?? []) {
    releases.set(key, publishedRelease(publication, wheels, base));
  }
  return releases;
}

function carriedFile({ wheel, filename, digest, size }: IndexedWheel, base: string): PypiFile {
  return {
    filename,
    url: `${base}/${encodePath(wheel.path)}`,
    size,
    sha256: hexOf(digest),
    uploadedAt: wheel.uploadedAt,
    requiresPython: wheel.requiresPython,
    yanked: wheel.yanked,
  };
}

function publishedRelease(
  { project, version, files }: Publication,
  wheels: readonly IndexedWheel[],
  base: string,
): { project: string; version: string; files: PypiFile[] } {
  return {
    project,
    version,
    files: files.map(({ filename, path, size, digest, uploadedAt }) => {
      const carried = wheels.find((indexed) => indexed.filename === filename)?.wheel;
      return {
        filename,
        url: `${base}/${encodePath(path)}`,
        size,
        sha256: digest === undefined ? undefined : hexOf(digest),
        uploadedAt,
        requiresPython: carried?.requiresPython,
        yanked: carried?.yanked,
      };
    }),
  };
}

/** Final releases before those that are none, as an index takes its latest. */
function newestFirst(a: PypiRelease, b: PypiRelease): number {
  const early = ({ version }: PypiRelease): number =>
    /(?:a|b|rc|dev)\d*/.test(canonicalVersion(version).split("+")[0] ?? "") ? 1 : 0;
  return early(a) - early(b) || compareVersions(b.version, a.version, "pep440");
}
