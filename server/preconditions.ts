import type { IncomingHttpHeaders } from "node:http";

/** What makes two answers the same one: a strong entity tag with its quotes, and where known the time of last change. */
export interface Validators {
  etag: string;
  modified?: Date | undefined;
}

export type Verdict = "proceed" | "not-modified" | "failed";

/**
 * Judges the conditional headers of a GET or HEAD in the order of RFC 9110, section 13.2.2. `not-modified` is a 304,
 * `failed` a 412. A date that is none is as good as absent.
 */
export function judge(headers: IncomingHttpHeaders, { etag, modified }: Validators): Verdict {
  const changed = modified === undefined ? undefined : toSeconds(modified);
  const unmodifiedSince = parseHttpDate(headers["if-unmodified-since"]);
  if (headers["if-match"] !== undefined) {
    if (!listsTag(headers["if-match"], etag, "strong")) return "failed";
  } else if (unmodifiedSince !== undefined && changed !== undefined && changed > unmodifiedSince) {
    return "failed";
  }
  if (headers["if-none-match"] !== undefined) {
    return listsTag(headers["if-none-match"], etag, "weak") ? "not-modified" : "proceed";
  }
  const modifiedSince = parseHttpDate(headers["if-modified-since"]);
  const same = modifiedSince !== undefined && changed !== undefined && changed <= modifiedSince;
  return same ? "not-modified" : "proceed";
}

/** Whether a Range header counts: there is no If-Range, or it names just this answer (the same tag, or the same second). */
export function rangeApplies(ifRange: string | undefined, { etag, modified }: Validators): boolean {
  if (ifRange === undefined) return true;
  const validator = ifRange.trim();
  if (validator.startsWith('"')) return validator === etag && !etag.startsWith("W/");
  const date = parseHttpDate(validator);
  return date !== undefined && modified !== undefined && date === toSeconds(modified);
}

/** Whether a list of entity tags (or `*`) names this one. A tag may hold a comma, so the list is not split at them. */
function listsTag(list: string, etag: string, comparison: "strong" | "weak"): boolean {
  if (list.trim() === "*") return true;
  const opaque = etag.replace(/^W\//, "");
  for (const [, weak, tag] of list.matchAll(/(W\/)?("[^"]*")/g)) {
    if (tag !== opaque) continue;
    if (comparison === "weak" || (weak === undefined && opaque === etag)) return true;
  }
  return false;
}

const DATE_FORMS = [
  // Sun, 06 Nov 1994 08:49:37 GMT, and the obsolete Sunday, 06-Nov-94 08:49:37 GMT
  /^[A-Z][a-z]+, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/,
  // Sun Nov  6 08:49:37 1994
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/** An HTTP date in its three forms (RFC 9110, section 5.6.7) in seconds since the epoch, or undefined. */
export function parseHttpDate(text: string | undefined): number | undefined {
  const trimmed = text?.trim();
  if (trimmed === undefined || !DATE_FORMS.some((form) => form.test(trimmed))) return undefined;
  const time = Date.parse(trimmed.endsWith("GMT") ? trimmed : `${trimmed} GMT`);
  return Number.isNaN(time) ? undefined : time / 1000;
}

function toSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
