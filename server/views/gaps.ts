import type { GapModel } from "./gaps-model.ts";
import { type Html, html } from "./html.ts";
import { badge, section, table } from "./parts.ts";

/** What bundles were made without, as they record it themselves. */
export function gapsSection(gaps: readonly GapModel[]): Html {
  const head = html`<tr><th scope="col">Build</th><th scope="col">Architecture</th><th scope="col">Why it was left out</th><th scope="col">Bundle</th><th scope="col">Now</th></tr>`;
  return section(
    "gaps",
    "Gaps",
    html`<p class="soft">Builds that a spec asked for and upstream lacked when the bundle was made. Whoever built it allowed that by name.</p>`,
    table("Gaps", head, html`<tbody>${gaps.map(gapHtml)}</tbody>`),
  );
}

function gapHtml({ engine, version, variant, arch, reason, bundle, filledBy }: GapModel): Html {
  const now = filledBy === undefined ? badge("warning", "missing") : badge("ok", `here, from ${filledBy}`);
  return html`<tr><th scope="row" class="fix">${engine} ${version} <code>${variant}</code></th><td>${arch}</td><td class="wide">${reason}</td><td class="fix">${bundle}</td><td>${now}</td></tr>
`;
}
