import type { z } from "zod";
import { FerryError } from "../errors.ts";
import { redactUrl } from "../lib/redact.ts";
import type { Door } from "./door-types.ts";
import { fetchText, notTheAnswer, type TextOptions } from "./text.ts";

export interface JsonOptions<T> extends TextOptions {
  schema: z.ZodType<T>;
}

export interface JsonAnswer<T> {
  /** undefined for 404 and 410. */
  value: T | undefined;
  status: number;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
}

/**
 * A JSON document, parsed and checked. 404 is an answer (`value` undefined), not an error. Retries and waits as
 * `fetchText`; a text that is no JSON is tried again, JSON of another shape is UPSTREAM_MALFORMED at once.
 */
export async function fetchJson<T>(door: Door, url: string, options: JsonOptions<T>): Promise<JsonAnswer<T>> {
  let parsed: unknown;
  const answer = await fetchText(door, url, options, (got) => {
    parsed = parseJson(got);
  });
  const { status, headers } = answer;
  if (answer.text === undefined) return { value: undefined, status, headers };
  const checked = options.schema.safeParse(parsed);
  if (checked.success) return { value: checked.data, status, headers };
  const faults = checked.error.issues.slice(0, 5).map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw notTheAnswer(answer, `answers with JSON of another shape than expected: ${faults.join("; ")}`);
}

/**
 * The URL of the next page that a `Link` header names, or undefined on the last. GitHub's links are absolute and spell the
 * path differently than it was asked (numeric repository ids). Throws UPSTREAM_MALFORMED where it leads to another origin.
 */
export function nextPage(headers: Readonly<Record<string, string>>, asked: string): string | undefined {
  for (const link of (headers["link"] ?? "").matchAll(/<([^>]*)>([^<]*)/g)) {
    if (!/;\s*rel="?(?:[^";]*\s)?next(?:\s[^";]*)?"?\s*(?:[;,]|$)/i.test(link[2] ?? "")) continue;
    const next = link[1] ?? "";
    const target = URL.canParse(next, asked) ? new URL(next, asked) : undefined;
    if (target?.origin === new URL(asked).origin) return target.href;
    throw new FerryError(
      "UPSTREAM_MALFORMED",
      `${redactUrl(asked)} names a next page elsewhere: ${target?.origin ?? "not a URL"}`,
      {
        hint: "Pages of one list lie on one server: check the address of the API and the proxy.",
        details: { url: redactUrl(asked) },
      },
    );
  }
  return undefined;
}

/** Every page of a list, one answer after the other, as far as the caller reads. A list that links in a circle ends. */
export async function* fetchPages<T>(
  door: Door,
  url: string,
  options: JsonOptions<T>,
): AsyncGenerator<JsonAnswer<T>> {
  const seen = new Set<string>();
  for (let page: string | undefined = url; page !== undefined && !seen.has(page); ) {
    seen.add(page);
    const answer: JsonAnswer<T> = await fetchJson(door, page, options);
    yield answer;
    page = nextPage(answer.headers, page);
  }
}

function parseJson(answer: {
  text: string;
  url: string;
  status: number;
  headers: Readonly<Record<string, string>>;
}): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    throw notTheAnswer(answer, "answers with something that is not JSON");
  }
}
