import type { Express, Request, Response } from "express";
import type { CarriedRelease } from "../../src/bundle/document.ts";
import { releaseAssetPath } from "../../src/wire/github.ts";
import { type CatalogRepo, latestRelease } from "../catalog-releases.ts";
import { exchangeOf } from "../exchange.ts";
import { type ApiBase, assetJson, releaseJson, sourceArchivePath } from "../github-json.ts";
import type { Mirror } from "../mirror.ts";
import { paginate } from "../pagination.ts";
import { renderJson } from "../rendered.ts";

/** How GitHub and GitHub Enterprise name the API; a host called `api.…` is asked in the first way. */
const PREFIXES = ["", "/api/v3"] as const;
const RELEASES = "/repos/:owner/:repo/releases";
const OCTET_STREAM = "application/octet-stream";

/** GitHub's release API, read only, for the carried releases. Only carried assets are listed. */
export function releaseRoutes(app: Express, mirror: Mirror): void {
  for (const prefix of PREFIXES) {
    addReleases(app, mirror, prefix);
    addAssets(app, mirror, prefix);
  }
}

function addReleases(app: Express, mirror: Mirror, prefix: string): void {
  const releases = `${prefix}${RELEASES}`;
  const one =
    (find: (repo: CatalogRepo, request: Request) => CarriedRelease | undefined) =>
    (request: Request, response: Response): void => {
      const repo = repoOf(request, response);
      const release = repo === undefined ? undefined : find(repo, request);
      if (repo === undefined || release === undefined) mirror.missing(request, response);
      else mirror.answer(request, response, renderJson(shown(release, repo, prefix, response)));
    };

  app.get(releases, (request, response) => {
    const repo = repoOf(request, response);
    if (repo === undefined) {
      mirror.missing(request, response);
      return;
    }
    const url = `${apiBase(prefix, response).api}/repos/${repo.repo}/releases`;
    const page = paginate(repo.releases, queryOf(response), url);
    const list = page.items.map((release) => shown(release, repo, prefix, response));
    mirror.answer(request, response, renderJson(list, linkHeader(page.link)));
  });
  app.get(`${releases}/latest`, one(latestRelease));
  app.get(
    `${releases}/tags/*tag`,
    one(({ byTag }, request) => byTag.get(param(request, "tag"))),
  );
  app.get(
    `${releases}/:id`,
    one(({ byId }, request) => byId.get(number(param(request, "id")))),
  );
}

function addAssets(app: Express, mirror: Mirror, prefix: string): void {
  const releases = `${prefix}${RELEASES}`;
  app.get(`${releases}/assets/:id`, (request, response) => {
    const repo = repoOf(request, response);
    const found = repo?.assets.get(number(param(request, "id")));
    if (repo === undefined || found === undefined) {
      mirror.missing(request, response);
      return;
    }
    response.setHeader("vary", "Accept");
    const wantsBytes = (request.headers.accept ?? "").toLowerCase().includes(OCTET_STREAM);
    const path = releaseAssetPath(repo.repo, found.release.tag, found.asset.name);
    const blob = wantsBytes ? exchangeOf(response).catalog.lookup(path) : undefined;
    const at = apiBase(prefix, response);
    if (blob !== undefined) mirror.file(request, response, blob, false);
    else mirror.answer(request, response, renderJson(assetJson(found.asset, found.release, repo.repo, at)));
  });
  app.get(`${releases}/:id/assets`, (request, response) => {
    const repo = repoOf(request, response);
    const release = repo?.byId.get(number(param(request, "id")));
    if (repo === undefined || release === undefined) {
      mirror.missing(request, response);
      return;
    }
    const at = apiBase(prefix, response);
    const url = `${at.api}/repos/${repo.repo}/releases/${release.id}/assets`;
    const page = paginate(release.assets, queryOf(response), url);
    const list = page.items.map((asset) => assetJson(asset, release, repo.repo, at));
    mirror.answer(request, response, renderJson(list, linkHeader(page.link)));
  });
}

function apiBase(prefix: string, response: Response): ApiBase {
  const { base } = exchangeOf(response);
  return { base, api: `${base}${prefix}` };
}

function repoOf(request: Request, response: Response): CatalogRepo | undefined {
  return exchangeOf(response).catalog.repo(`${param(request, "owner")}/${param(request, "repo")}`);
}

function shown(release: CarriedRelease, repo: CatalogRepo, prefix: string, response: Response): unknown {
  const archive = exchangeOf(response).catalog.lookup(sourceArchivePath(repo.repo, release.tag));
  return releaseJson(release, repo, apiBase(prefix, response), archive !== undefined);
}

/** A decoded parameter; a splat's parts joined by the slashes that were between them. */
function param(request: Request, name: string): string {
  const value: unknown = request.params[name];
  return Array.isArray(value) ? value.join("/") : String(value);
}

function number(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

function queryOf(response: Response): URLSearchParams {
  return new URLSearchParams(exchangeOf(response).query);
}

function linkHeader(link: string | undefined): Record<string, string> {
  return link === undefined ? {} : { link };
}
