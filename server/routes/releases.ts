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
const OCTET_STREAM = "application/octet-stream";

/** GitHub's release API, read only, for the carried releases. Only carried assets are listed. */
export function releaseRoutes(app: Express, mirror: Mirror): void {
  for (const prefix of PREFIXES) {
    const releases = `${prefix}/repos/:owner/:repo/releases`;
    const at = (response: Response): ApiBase => {
      const { base } = exchangeOf(response);
      return { base, api: `${base}${prefix}` };
    };
    const repoOf = (request: Request, response: Response): CatalogRepo | undefined =>
      exchangeOf(response).catalog.repo(`${param(request, "owner")}/${param(request, "repo")}`);
    const answer = (
      request: Request,
      response: Response,
      find: (repo: CatalogRepo) => CarriedRelease | undefined,
    ): void => {
      const repo = repoOf(request, response);
      const release = repo === undefined ? undefined : find(repo);
      if (repo === undefined || release === undefined) {
        mirror.missing(request, response);
        return;
      }
      mirror.answer(request, response, renderJson(shown(release, repo, at(response), response)));
    };

    app.get(releases, (request, response) => {
      const repo = repoOf(request, response);
      if (repo === undefined) {
        mirror.missing(request, response);
        return;
      }
      const where = at(response);
      const page = paginate(repo.releases, queryOf(response), `${where.api}/repos/${repo.repo}/releases`);
      const list = page.items.map((release) => shown(release, repo, where, response));
      mirror.answer(request, response, renderJson(list, linkHeader(page.link)));
    });
    app.get(`${releases}/latest`, (request, response) => {
      answer(request, response, latestRelease);
    });
    app.get(`${releases}/tags/*tag`, (request, response) => {
      answer(request, response, ({ byTag }) => byTag.get(param(request, "tag")));
    });
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
      if (blob !== undefined) {
        mirror.file(request, response, blob, false);
        return;
      }
      mirror.answer(
        request,
        response,
        renderJson(assetJson(found.asset, found.release, repo.repo, at(response))),
      );
    });
    app.get(`${releases}/:id`, (request, response) => {
      answer(request, response, ({ byId }) => byId.get(number(param(request, "id"))));
    });
    app.get(`${releases}/:id/assets`, (request, response) => {
      const repo = repoOf(request, response);
      const release = repo?.byId.get(number(param(request, "id")));
      if (repo === undefined || release === undefined) {
        mirror.missing(request, response);
        return;
      }
      const where = at(response);
      const url = `${where.api}/repos/${repo.repo}/releases/${release.id}/assets`;
      const page = paginate(release.assets, queryOf(response), url);
      const list = page.items.map((asset) => assetJson(asset, release, repo.repo, where));
      mirror.answer(request, response, renderJson(list, linkHeader(page.link)));
    });
  }
}

function shown(release: CarriedRelease, repo: CatalogRepo, at: ApiBase, response: Response): unknown {
  const archive =
    exchangeOf(response).catalog.lookup(sourceArchivePath(repo.repo, release.tag)) !== undefined;
  return releaseJson(release, repo, at, archive);
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
