import { formatBytes } from "../../src/lib/size.ts";
import { ARCHS, type Cell, type EngineModel, type VariantModel, type VersionModel } from "./engines-model.ts";
import { type Html, html } from "./html.ts";
import { badge, dash, section, table } from "./parts.ts";
import { count } from "./words.ts";

const SHOWN = 4;

/** The matrix of what nodes can install: engine, version, variant, architecture. */
export function enginesSection(engines: readonly EngineModel[]): Html {
  return section(
    "engines",
    "Engines",
    html`<p class="soft">Sizes are what a node downloads for one build. A dash under needs: nothing is asked, or upstream does not state it; the install script tries a build before it takes it.</p>`,
    engines.map(engineHtml),
  );
}

function engineHtml({ id, label, tool, versions, count: all, page }: EngineModel): Html {
  const newest = versions.slice(0, SHOWN);
  const older = versions.slice(SHOWN);
  return html`<div class="sub"><h3>${label}</h3><code class="soft">${id}</code>${tool && badge("quiet", "tool")}</div>
${matrix(`Builds of ${label}`, newest)}
${
  older.length > 0 &&
  html`<details><summary>${count(older.length, "older version")} of ${label}</summary>${matrix(`Older builds of ${label}`, older)}</details>`
}${
  all > versions.length &&
  html`<p class="soft">${count(all - versions.length, "version")} older than these are not shown.${page !== undefined && html` <a href="${page}">All releases of ${label}</a>`}</p>`
}`;
}

function matrix(label: string, versions: readonly VersionModel[]): Html {
  const head = html`<tr><th scope="col">Variant</th>${ARCHS.map(
    (arch) => html`<th scope="col" class="num">${arch}</th>`,
  )}<th scope="col">NVIDIA driver</th><th scope="col">Compute capability</th><th scope="col">glibc</th><th scope="col">Also needs</th></tr>`;
  return table(label, head, versions.map(versionHtml), true);
}

function versionHtml({ version, page, variants, unsigned }: VersionModel): Html {
  return html`<tbody>
<tr><th scope="rowgroup" colspan="${ARCHS.length + 5}" class="group"><span class="stay">${version}${
    page !== undefined && html` <a href="${page}">release page<span class="unseen"> of ${version}</span></a>`
  }${unsigned && html` ${badge("danger", "Unsigned")}`}</span></th></tr>
${variants.map(variantHtml)}</tbody>`;
}

function variantHtml({ variant, cells, needs }: VariantModel): Html {
  const need = (text: string | undefined, kind: string): Html =>
    html`<td class="${kind}">${text ?? dash("nothing stated")}</td>`;
  return html`<tr><th scope="row" class="fix"><code>${variant}</code></th>${ARCHS.map(
    (arch) => html`<td class="num">${cellHtml(cells[arch])}</td>`,
  )}${need(needs.driver, "need")}${need(needs.compute, "need")}${need(needs.glibc, needs.glibc?.includes(";") === true ? "need" : "fix")}${need(needs.also.length === 0 ? undefined : needs.also.join("; "), "also")}</tr>
`;
}

function cellHtml(cell: Cell): Html {
  switch (cell.state) {
    case "here":
      return html`${formatBytes(cell.bytes)}`;
    case "waiting":
      return badge("warning", "not imported yet");
    case "gap":
      return html`<a href="#gaps">${badge("warning", "gap")}</a>`;
    case "none":
      return dash("not carried");
  }
}
