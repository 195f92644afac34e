import type { Express, Request, Response } from "express";
import type { Catalog } from "../catalog.ts";
import { type CatalogRepo, latestRelease } from "../catalog-releases.ts";
import { exchangeOf } from "../exchange.ts";
import type { Mirror } from "../mirror.ts";
import { HTML_TYPE, type Rendered, render } from "../rendered.ts";
import { renderHome } from "../views/home.ts";
import { type CatalogModel, catalogModel, homeModel } from "../views/home-model.ts";
import { PAGE_HEADERS } from "../views/layout.ts";
import { releasePath } from "../views/paths.ts";
import { renderRelease } from "../views/release.ts";
import { releaseModel } from "../views/release-model.ts";
import { renderReleases } from "../views/releases.ts";
import { repoModel } from "../views/repos-model.ts";
import type { Site } from "../views/site.ts";

/**
 * The pages for people: `/`, and a repository's releases at the paths that they have on GitHub. A page is rendered when it
 * is first asked for; the one at `/` anew when something else was asked for in vain.
 */
export function pageRoutes(app: Express, mirror: Mirror): void {
  const modelOf = lastModel();
  const siteOf = (base: string): Site => ({ base, guarded: mirror.auth() !== undefined });
  app.get("/", (request, response) => {
    const { catalog, base } = exchangeOf(response);
    const { version } = mirror.asked;
    const problem = mirror.problem();
    const known = modelOf(catalog, siteOf(base));
    const page = renderHome(homeModel(catalog, known, { problem, asked: mirror.asked.recent() }));
    mirror.answer(request, response, {
      ...pageOf(page),
      isFresh: () => mirror.asked.version === version && mirror.problem() === problem,
    });
  });

  const ofRepo =
    (answer: (repo: CatalogRepo, request: Request, response: Response) => void) =>
    (request: Request, response: Response): void => {
      const { owner, repo: name } = request.params;
      const repo = exchangeOf(response).catalog.repo(`${String(owner)}/${String(name)}`);
      if (repo === undefined) mirror.missing(request, response);
      else answer(repo, request, response);
    };
  app.get(
    "/:owner/:repo/releases",
    ofRepo((repo, request, response) => {
      const { base } = exchangeOf(response);
      mirror.answer(request, response, pageOf(renderReleases(repoModel(repo, base), base)));
    }),
  );
  // Scripts read the newest tag from where GitHub's address leads to.
  app.get(
    "/:owner/:repo/releases/latest",
    ofRepo((repo, request, response) => {
      const latest = latestRelease(repo);
      if (latest === undefined) {
        mirror.missing(request, response);
        return;
      }
      const location = `${exchangeOf(response).base}/${releasePath(repo.repo, latest.tag)}`;
      mirror.text(request, response, 302, `The latest release here: ${location}`, { location });
    }),
  );
  app.get(
    "/:owner/:repo/releases/tag/*tag",
    ofRepo((repo, request, response) => {
      const { catalog, base } = exchangeOf(response);
      const release = repo.byTag.get([request.params["tag"]].flat().join("/"));
      if (release === undefined) {
        mirror.missing(request, response);
        return;
      }
      const model = releaseModel(release, repo, catalog, siteOf(base));
      mirror.answer(request, response, pageOf(renderRelease(model)));
    }),
  );
}

function pageOf(page: string): Rendered {
  return render(HTML_TYPE, page, PAGE_HEADERS);
}

/** What a catalog shows is worked out once for an address, however often the rest of the page changes. */
function lastModel(): (catalog: Catalog, site: Site) => CatalogModel {
  const models = new WeakMap<Catalog, CatalogModel>();
  return (catalog, site) => {
    const known = models.get(catalog);
    if (known?.site.base === site.base && known.site.guarded === site.guarded) return known;
    const model = catalogModel(catalog, site);
    models.set(catalog, model);
    return model;
  };
}
