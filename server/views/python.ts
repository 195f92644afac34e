import { formatBytes } from "../../src/lib/size.ts";
import { type Html, html } from "./html.ts";
import { badge, command, section, table } from "./parts.ts";
import type { LockModel, PythonModel } from "./python-model.ts";
import { timeHtml } from "./time.ts";
import { count, grouped } from "./words.ts";

/** The index, the locks, and what no bundle carries of Python engines. */
export function pythonSection({ indexes, locks, notCarried, ways }: PythonModel): Html {
  const head = html`<tr><th scope="col">Lock</th><th scope="col">Variant</th><th scope="col">For</th><th scope="col">Python</th><th scope="col" class="num">Packages</th><th scope="col" class="num">Wheels</th><th scope="col">glibc from</th><th scope="col">Frozen at</th><th scope="col">Closure</th><th scope="col">Get it</th></tr>`;
  return section(
    "python",
    "Python",
    indexes.map(
      ({ address, projects }) =>
        html`<p class="label">${count(projects, "project")} on the index</p>${command(`Index with ${count(projects, "project")}`, address)}`,
    ),
    locks.length > 0 && [
      html`<p class="soft">A lock names every wheel of an engine's environment with its hash. Closure is proven where the builder resolved it once more from the bundle alone, with the same outcome.</p>`,
      table("Locks of Python engines", head, html`<tbody>${locks.map(lockHtml)}</tbody>`, true),
    ],
    notCarried.length > 0 &&
      html`<div class="notice warning aside" role="note"><strong>Not carried: what engines fetch when they first run</strong>${notCarried.map(
        ({ engine, what }) => html`<p>${engine}: ${what.join("; ")}.</p>`,
      )}</div>`,
    ways.length > 0 &&
      html`<details><summary>Use them without the install script</summary>
${ways.map(({ what, text }) => html`<p class="label">${what}</p>${command(what, text)}`)}</details>`,
  );
}

function lockHtml(lock: LockModel): Html {
  const { title, variant, arch, python, packages, bytes, glibc, frozen, proven, complete, pylock, folder } =
    lock;
  const name = `${title} ${variant} ${arch}`;
  const links = html`<a href="${pylock}">lock<span class="unseen"> of ${name}</span></a> <a href="${folder}">wheels<span class="unseen"> of ${name} as a tar</span></a>`;
  return html`<tr><th scope="row" class="fix">${title}</th><td class="fix"><code>${variant}</code></td><td>${arch}</td><td>${python}</td><td class="num">${grouped(packages)}</td><td class="num">${formatBytes(bytes)}</td><td class="fix">${glibc}</td><td>${timeHtml(frozen)}</td><td>${
    proven ? badge("ok", "proven") : badge("warning", "not proven")
  }</td><td class="fix">${complete ? links : badge("warning", "not imported yet")}</td></tr>
`;
}
