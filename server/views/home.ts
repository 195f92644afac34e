import { formatBytes } from "../../src/lib/size.ts";
import { askedSection } from "./asked.ts";
import { bundlesSection } from "./bundles.ts";
import { emptySection } from "./empty.ts";
import { enginesSection } from "./engines.ts";
import { gapsSection } from "./gaps.ts";
import type { HomeModel } from "./home-model.ts";
import { type Html, html } from "./html.ts";
import { installSection } from "./install.ts";
import { renderPage } from "./layout.ts";
import type { Notice } from "./notices.ts";
import { pythonSection } from "./python.ts";
import { reposSection } from "./repos.ts";
import { toolsSection } from "./tools.ts";
import { grouped } from "./words.ts";

/** The page at `/`: what is here, how to get it, who vouches for it, and what is missing. */
export function renderHome(model: HomeModel): string {
  const { site, engines, repos, bundles, gaps, tools, python, asked } = model;
  const { base } = site;
  const empty = bundles.length === 0;
  const parts: (readonly [string, string, Html] | false)[] = [
    empty && ["start", "Start", emptySection()],
    engines.length > 0 && ["install", "Install", installSection(engines, site)],
    engines.length > 0 && ["engines", "Engines", enginesSection(engines)],
    python !== undefined && ["python", "Python", pythonSection(python)],
    !empty && ["bundles", "Bundles", bundlesSection(bundles)],
    gaps.length > 0 && ["gaps", "Gaps", gapsSection(gaps)],
    !empty && ["settings", "Settings", toolsSection(tools)],
    repos.length > 0 && ["releases", "Releases", reposSection(repos)],
    ["asked", "Not found", askedSection(asked)],
  ];
  const shown = parts.filter((part) => part !== false);
  return renderPage({
    title: `LLM engines on ${base.replace(/^https?:\/\//, "")}`,
    base,
    head: html`<h1>LLM engines on this mirror</h1>
<p class="lead">Releases at the paths that they have on GitHub, from <code>${base}</code></p>
${!empty && statsHtml(model)}
<nav class="toc" aria-label="On this page"><ul>${shown.map(([id, word]) => html`<li><a href="#${id}">${word}</a></li>`)}</ul></nav>`,
    main: html`${noticesHtml(model.notices)}${shown.map(([, , part]) => part)}`,
  });
}

function statsHtml({ engines, bundles, totals }: HomeModel): Html {
  const versions = engines.reduce((sum, engine) => sum + engine.count, 0);
  const stats = [
    ["Engines and tools", grouped(engines.length)],
    ["Versions", grouped(versions)],
    ["Bundles", grouped(bundles.length)],
    ["Files", grouped(totals.files)],
    ["In the store", formatBytes(totals.bytes)],
  ];
  return html`<dl class="stats">${stats.map(([what, value]) => html`<div><dt>${what}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function noticesHtml(notices: readonly Notice[]): Html | false {
  return (
    notices.length > 0 &&
    html`<div class="notices">${notices.map(
      ({ level, title, words }) =>
        html`<div class="notice ${level}" role="note"><strong>${title}</strong><p>${words}</p></div>`,
    )}</div>`
  );
}
