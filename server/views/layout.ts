import { createHash } from "node:crypto";
import { type Html, html, markupOf } from "./html.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

export interface Page {
  /** For the browser's tab. */
  title: string;
  /** The mirror's address. */
  base: string;
  /** What stands in the head band, its `h1` included. */
  head: Html;
  main: Html;
}

/** A whole page. Links lead to this mirror alone, and nothing is loaded besides the page itself. */
export function renderPage({ title, base, head, main }: Page): string {
  const page = html`${markupOf("<!doctype html>")}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${ICON}">
<style>${markupOf(STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top"><div class="wrap">
<p class="brand"><a href="${base}/">engine-ferry mirror</a></p>
${head}
</div></header>
<main id="main" class="wrap" tabindex="-1">
${main}
</main>
<footer><div class="wrap">
<ul>
<li><a href="${base}/v1/bundles">Bundles as JSON</a></li>
<li><a href="${base}/v1/inventory">Inventory</a> (for the builder's next bundle)</li>
<li><a href="${base}/metrics">Metrics</a></li>
<li><a href="${base}/readyz">Readiness</a></li>
</ul>
This mirror answers from its own store and never asks the internet.
</div></footer>
<script>${markupOf(SCRIPT)}</script>
</body>
</html>
`;
  return page.markup;
}

/** A ferry, in the page itself: a browser that finds no icon asks for one. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0f6e7c"/>' +
    '<path d="M5 18h22l-4 7H9zM10 11h12v5H10z" fill="#fff"/></svg>',
)}`;

/** Sent with every page: nothing is loaded, framed or sent anywhere; only this style and this script count. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    `style-src '${sourceHash(STYLE)}'`,
    `script-src '${sourceHash(SCRIPT)}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "referrer-policy": "no-referrer",
};

function sourceHash(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
