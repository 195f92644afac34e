import { type Html, html, type Part } from "./html.ts";

/** A command or setting to copy. `what` names it for who cannot see where it stands. */
export function command(what: string, text: string): Html {
  return html`<div class="cmd" data-what="${what}"><pre><code>${text}</code></pre></div>`;
}

/**
 * A table that scrolls in its own box where the window is narrow; by keyboard too. `pin` keeps the first column in sight.
 */
export function table(label: string, head: Html, body: Part, pin = false): Html {
  return html`<div class="${pin ? "scroll pin" : "scroll"}" role="region" aria-label="${label}" tabindex="0"><table>
<thead>${head}</thead>
${body}
</table></div>`;
}

/** A section with its heading. */
export function section(id: string, title: string, ...body: Part[]): Html {
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${body}
</section>`;
}

export function badge(kind: "ok" | "warning" | "danger" | "quiet", text: string): Html {
  return html`<span class="badge ${kind}">${text}</span>`;
}

/** What is not there, said for ears too. */
export function dash(meaning: string): Html {
  return html`<span class="none" role="img" aria-label="${meaning}">–</span>`;
}
