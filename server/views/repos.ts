import { formatBytes } from "../../src/lib/size.ts";
import { type Html, html } from "./html.ts";
import { badge, section, table } from "./parts.ts";
import type { ReleaseLine, RepoModel } from "./repos-model.ts";
import { timeHtml } from "./time.ts";
import { count, grouped } from "./words.ts";

/** Every repository that is mirrored, with its newest releases. */
export function reposSection(repos: readonly RepoModel[]): Html {
  return section(
    "releases",
    "Releases",
    html`<p class="soft">At the paths that they have on GitHub. Only files that a bundle carries are listed.</p>`,
    repos.map(
      ({
        repo,
        page,
        count: all,
        releases,
      }) => html`<div class="sub"><h3><a href="${page}">${repo}</a></h3></div>
${releasesTable(repo, releases)}
${all > releases.length && html`<p><a href="${page}">All ${count(all, "release")} of ${repo}</a></p>`}`,
    ),
  );
}

export function releasesTable(repo: string, releases: readonly ReleaseLine[]): Html {
  const head = html`<tr><th scope="col">Release</th><th scope="col">Published</th><th scope="col" class="num">Files here</th><th scope="col" class="num">Size</th></tr>`;
  return table(`Releases of ${repo}`, head, html`<tbody>${releases.map(releaseHtml)}</tbody>`);
}

function releaseHtml({ tag, page, name, prerelease, published, assets, bytes }: ReleaseLine): Html {
  return html`<tr><th scope="row"><a href="${page}">${tag}</a>${name !== undefined && html` <span class="soft">${name}</span>`}${prerelease && html` ${badge("quiet", "prerelease")}`}</th><td>${timeHtml(published)}</td><td class="num">${grouped(assets)}</td><td class="num">${formatBytes(bytes)}</td></tr>
`;
}
