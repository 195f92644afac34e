import { html } from "./html.ts";
import { renderPage } from "./layout.ts";
import { section } from "./parts.ts";
import { releasesTable } from "./repos.ts";
import type { RepoModel } from "./repos-model.ts";
import { count } from "./words.ts";

/** The page with all carried releases of a repository, newest first. */
export function renderReleases({ repo, releases, count: all }: RepoModel, base: string): string {
  return renderPage({
    title: `Releases · ${repo}`,
    base,
    head: html`<h1>${repo}</h1>
<p class="lead">${count(all, "release")} on this mirror</p>
<nav class="toc" aria-label="Mirror"><ul><li><a href="${base}/">All that is here</a></li></ul></nav>`,
    main: section(
      "releases",
      "Releases",
      html`<p class="soft">Newest first, as GitHub lists them. Only files that a bundle carries are counted.</p>`,
      releasesTable(repo, releases),
    ),
  });
}
