import type { IncomingMessage, ServerResponse } from "node:http";
import { digestOf, hexOf } from "../src/lib/digest.ts";

/** An answer as bytes, so that the next who asks the same gets it without rendering. */
export interface Rendered {
  contentType: string;
  body: Buffer;
  /** Strong: quoted digest of the body. */
  etag: string;
  /** Further headers, such as Link. */
  headers: Readonly<Record<string, string>>;
  /** Where given: whether the answer still holds. Where not, it holds as long as the catalog does. */
  isFresh?: () => boolean;
  /** It is a carried file: whoever asks for a part of it, or for an older one, must not be answered with this. */
  file?: true;
}

export const JSON_TYPE = "application/json; charset=utf-8";
export const TEXT_TYPE = "text/plain; charset=utf-8";
export const HTML_TYPE = "text/html; charset=utf-8";

export function render(
  contentType: string,
  content: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Rendered {
  const body = Buffer.from(content);
  return { contentType, body, etag: `"${hexOf(digestOf(body)).slice(0, 40)}"`, headers };
}

/** Pretty enough to be read with curl; a node's shell script finds one value a line. */
export function renderJson(value: unknown, headers: Readonly<Record<string, string>> = {}): Rendered {
  return render(JSON_TYPE, `${JSON.stringify(value, null, 2)}\n`, headers);
}

interface Heads {
  whole: string[];
  unchanged: string[];
}

/** Headers are put together once for each answer, not once for each request: that is a third of what a request costs. */
const heads = new WeakMap<Rendered, Heads>();

/** What a 304 must say again (RFC 9110 §15.4.5); all else the client has, and each header costs. */
const IN_304 = new Set(["etag", "cache-control", "vary"]);

function headsOf(rendered: Rendered): Heads {
  const known = heads.get(rendered);
  if (known !== undefined) return known;
  const common = {
    etag: rendered.etag,
    "cache-control": "no-cache",
    ...(rendered.file === true ? {} : { vary: "Accept" }),
    "x-content-type-options": "nosniff",
    ...rendered.headers,
  };
  const body = { "content-type": rendered.contentType, "content-length": String(rendered.body.length) };
  const made = {
    unchanged: Object.entries(common)
      .filter(([name]) => IN_304.has(name))
      .flat(),
    whole: Object.entries({ ...common, ...body }).flat(),
  };
  heads.set(rendered, made);
  return made;
}

/** Answers 200 or, to whom has it, 304. Returns status and the bytes of the body. */
export function sendRendered(
  request: IncomingMessage,
  response: ServerResponse,
  rendered: Rendered,
): { status: number; bytes: number } {
  const { whole, unchanged } = headsOf(rendered);
  if (matchesEtag(request.headers["if-none-match"], rendered.etag)) {
    response.writeHead(304, unchanged).end();
    return { status: 304, bytes: 0 };
  }
  response.writeHead(200, whole);
  if (request.method === "HEAD") {
    response.end();
    return { status: 200, bytes: 0 };
  }
  response.end(rendered.body);
  return { status: 200, bytes: rendered.body.length };
}

/** Whether `If-None-Match` names this tag (RFC 9110 §13.1.2, weak comparison). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag || header.trim() === "*") return true;
  return header.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === etag);
}

/** Answers with a status and words, for people and their logs; nobody may keep it. */
export function sendText(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
  contentType: string = TEXT_TYPE,
): { status: number; bytes: number } {
  const body = Buffer.from(text);
  response.writeHead(status, {
    "content-type": contentType,
    "content-length": body.length,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers,
  });
  response.end(request.method === "HEAD" ? undefined : body);
  return { status, bytes: request.method === "HEAD" ? 0 : body.length };
}
