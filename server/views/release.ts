import { TRUST_WORDS } from "../../src/bundle/document.ts";
import { formatBytes } from "../../src/lib/size.ts";
import { gapsSection } from "./gaps.ts";
import { type Html, html } from "./html.ts";
import { renderPage } from "./layout.ts";
import { badge, command, section, table } from "./parts.ts";
import type { AssetModel, ReleaseModel } from "./release-model.ts";
import { shellWord } from "./shell-word.ts";
import { timeHtml } from "./time.ts";
import { count } from "./words.ts";

/** The page of one release, at the path that it has on GitHub. */
export function renderRelease(model: ReleaseModel): string {
  const { base, repo, tag, name, prerelease, immutable, installs, gaps, assets, waiting } = model;
  return renderPage({
    title: `${tag} · ${repo}`,
    base,
    head: html`<p class="lead"><a href="${model.releases}">${repo}</a></p>
<h1>${tag}</h1>
${name !== undefined && html`<p class="lead">${name}</p>`}
<dl class="facts">
<dt>Published</dt><dd>${timeHtml(model.published)} ${prerelease && badge("quiet", "prerelease")} ${immutable && badge("quiet", "immutable")}</dd>
<dt>Files here</dt><dd>${count(assets.length, "file")}, ${formatBytes(model.bytes)}</dd>
<dt>API</dt><dd><a href="${model.api}">this release as JSON</a></dd>
${model.source !== undefined && html`<dt>Source</dt><dd><a href="${model.source}">archive of ${tag}</a></dd>`}
</dl>
<nav class="toc" aria-label="Mirror"><ul><li><a href="${base}/">All that is here</a></li><li><a href="${model.releases}">Releases of ${repo}</a></li></ul></nav>`,
    main: html`${
      installs.length > 0 &&
      section(
        "install",
        "Install on a node",
        installs.map(({ what, command: text }) => html`<p class="label">${what}</p>${command(what, text)}`),
      )
    }
${section(
  "files",
  "Files",
  assets.length === 0
    ? html`<p>No bundle brought a file of this release.</p>`
    : [
        html`<p class="soft">Upstream's release may have more: only what a bundle carries is listed. Under each name its digest (SHA&#8209;256).</p>`,
        assetsTable(model),
        listsHtml(assets),
      ],
)}
${waiting.length > 0 && waitingSection(model)}
${gaps.length > 0 && gapsSection(gaps)}`,
  });
}

function assetsTable({ tag, assets }: ReleaseModel): Html {
  const head = html`<tr><th scope="col">File</th><th scope="col" class="num">Size</th><th scope="col">Uploaded</th><th scope="col">Digest known from</th><th scope="col">Bundle</th></tr>`;
  const body = assets.map(
    ({ name, url, size, sha256, updated, trust, bundle, unsigned }) =>
      html`<tr><th scope="row"><a href="${url}">${name}</a><code class="digest">${sha256}</code></th><td class="num">${formatBytes(size)}</td><td>${timeHtml(updated)}</td><td>${trust === undefined ? "" : TRUST_WORDS[trust]}</td><td class="fix">${bundle}${unsigned && html` ${badge("danger", "Unsigned")}`}</td></tr>
`,
  );
  return table(`Files of ${tag}`, head, html`<tbody>${body}</tbody>`);
}

/** For whoever takes all of it. */
function listsHtml(assets: readonly AssetModel[]): Html {
  const sums = assets.map(({ sha256, name }) => `${sha256}  ${name}`).join("\n");
  const commands = assets.map(({ name, url }) => `curl -fL -C - -o ${shellWord(name)} ${shellWord(url)}`);
  return html`<details><summary>Commands that download every file</summary>${command("download every file", commands.join("\n"))}</details>
<details><summary>Checksums for <code>sha256sum -c</code></summary>${command("checksums", sums)}</details>`;
}

function waitingSection({ waiting }: ReleaseModel): Html {
  const head = html`<tr><th scope="col">File</th><th scope="col" class="num">Size</th><th scope="col">Bundle</th></tr>`;
  const body = waiting.map(
    ({ name, size, bundle }) =>
      html`<tr><th scope="row">${name}</th><td class="num">${formatBytes(size)}</td><td class="fix">${bundle}</td></tr>
`,
  );
  return section(
    "waiting",
    "Not imported yet",
    html`<p class="soft">A bundle lists these files, but they came in a volume that is not here. Import the remaining volumes.</p>`,
    table("Files that are not here yet", head, html`<tbody>${body}</tbody>`),
  );
}
