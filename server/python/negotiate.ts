import { SIMPLE_HTML, SIMPLE_JSON, SIMPLE_TEXT_HTML } from "../../src/wire/simple-index.ts";

export type SimpleType = typeof SIMPLE_JSON | typeof SIMPLE_HTML | typeof SIMPLE_TEXT_HTML;

/** `latest` is answered as what it is today (PEP 691). */
const NAMES: ReadonlyMap<string, SimpleType> = new Map([
  [SIMPLE_JSON, SIMPLE_JSON],
  ["application/vnd.pypi.simple.latest+json", SIMPLE_JSON],
  [SIMPLE_HTML, SIMPLE_HTML],
  ["application/vnd.pypi.simple.latest+html", SIMPLE_HTML],
  [SIMPLE_TEXT_HTML, SIMPLE_TEXT_HTML],
]);
/** Of formats that a client names and likes alike; only JSON is still being developed. */
const ORDER: readonly SimpleType[] = [SIMPLE_JSON, SIMPLE_HTML, SIMPLE_TEXT_HTML];

/**
 * The format of an index page for an Accept header. Where only a range matches (any type at
 * all, or any text), the answer is text/html: so browsers, curl and clients older than the JSON get what they can read.
 * Nothing acceptable is answered with HTML too, as upstream's index does it.
 */
export function negotiate(accept: string | undefined): SimpleType {
  const wanted = new Map<SimpleType, number>();
  let ranges = 0;
  for (const part of (accept ?? "").split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const quality = qualityOf(parameters);
    const type = NAMES.get(name);
    if (type !== undefined) wanted.set(type, Math.max(quality, wanted.get(type) ?? 0));
    else if (name === "*/*" || name === "text/*") ranges = Math.max(ranges, quality);
  }
  if (!wanted.has(SIMPLE_TEXT_HTML)) wanted.set(SIMPLE_TEXT_HTML, ranges);
  const best = Math.max(...wanted.values());
  if (best === 0) return SIMPLE_TEXT_HTML;
  return ORDER.find((type) => wanted.get(type) === best) ?? SIMPLE_TEXT_HTML;
}

function qualityOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith("q="));
  const quality = given === undefined ? 1 : Number(given.slice(2));
  return quality >= 0 && quality <= 1 ? quality : 0;
}
