/** Query parameters that say what is asked for and never who asks: the ones that may be printed. */
const HARMLESS = new Set(["page", "per_page", "ref", "predicate_type", "format", "before", "after"]);

/**
 * A URL that may be printed and stored: without user and password, without fragment, and with its query replaced by `?…`
 * as soon as one parameter is not known to be harmless (redirect targets carry signatures there).
 * What is no URL comes back as `(not a URL)`, because nobody knows what it holds.
 */
export function redactUrl(url: string | URL): string {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return "(not a URL)";
  }
  const base = `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
  if (parsed.search === "") return base;
  const harmless = [...parsed.searchParams.keys()].every((key) => HARMLESS.has(key));
  return harmless ? `${base}${parsed.search}` : `${base}?…`;
}

/** An address without what only its asker should know: user, password and a signed query. */
export function publicAddress(address: string): string {
  if (!/^https?:/.test(address) || !URL.canParse(address)) return address;
  const url = new URL(address);
  return `${url.origin}${url.pathname}`;
}

/**
 * Free text (a library's error, an upstream's message) made safe to print: every URL in it redacted, bearer and basic
 * credentials and GitHub tokens replaced.
 */
export function redactText(text: string): string {
  return text
    .replace(/\bhttps?:\/\/[^\s"'<>]+/gi, (url) => redactUrl(url))
    .replace(/\b(bearer|basic|token)\s+[A-Za-z0-9._~+/=-]{8,}/gi, "$1 …")
    .replace(/\b(?:gh[a-z]_|github_pat_)[A-Za-z0-9_]{10,}/g, "…");
}
