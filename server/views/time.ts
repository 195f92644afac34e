import { type Html, html } from "./html.ts";

/** A time in UTC, to the minute: `2026-11-02 10:00 UTC`. Text that is no time stays as it is; none becomes a dash. */
export function timeHtml(iso: string | undefined): Html {
  if (iso === undefined || iso === "") return html`<span class="none">not recorded</span>`;
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return html`${iso}`;
  const text = new Date(at).toISOString();
  return html`<time datetime="${text}">${text.slice(0, 10)} ${text.slice(11, 16)}<span class="unit"> UTC</span></time>`;
}
