import type { AskedModel } from "./asked-model.ts";
import { type Html, html } from "./html.ts";
import { command, section, table } from "./parts.ts";
import { timeHtml } from "./time.ts";
import { grouped } from "./words.ts";

/** What the next bundle might bring. */
export function askedSection({ rows, spec }: AskedModel): Html {
  const head = html`<tr><th scope="col">Path</th><th scope="col">What it is</th><th scope="col" class="num">Times</th><th scope="col">Last asked</th></tr>`;
  const body = rows.map(
    ({ path, what, times, last }) =>
      html`<tr><td class="path"><code>${path}</code></td><td>${what}</td><td class="num">${grouped(times)}</td><td>${timeHtml(last)}</td></tr>
`,
  );
  return section(
    "asked",
    "Asked for and not found",
    rows.length === 0
      ? html`<p class="soft">Nothing since this mirror was started.</p>`
      : [
          html`<p class="soft">Since this mirror was started, last asked first. Whoever reaches the mirror can put a line here: read before you carry.</p>`,
          table("Asked for and not found", head, html`<tbody>${body}</tbody>`),
          spec !== undefined &&
            html`<p class="label">Lines for the spec of the next bundle</p>${command("lines for the next spec", spec)}`,
        ],
  );
}
