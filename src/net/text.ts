import { FerryError, interrupted, isFerryError } from "../errors.ts";
import { redactUrl } from "../lib/redact.ts";
import { failedAnswer, isHtml, readText } from "./body.ts";
import type { Door, DoorResponse } from "./door-types.ts";
import { type Attempt, type Persistence, persist } from "./persist.ts";
import type { CacheEntry, ResponseCache } from "./response-cache.ts";

export interface TextOptions extends Persistence {
  headers?: Readonly<Record<string, string>>;
  /** Answers are asked for conditionally and kept here. */
  cache?: ResponseCache | undefined;
  /** Bytes; default 32 MiB. */
  maxBytes?: number;
  /** Milliseconds for one try: a server that says a byte now and then is not waited for. Default ten minutes. */
  tryMs?: number;
}

export interface TextAnswer {
  /** undefined for 404 and 410: what an absent thing means is the caller's to say. */
  text: string | undefined;
  /** As answered; 200 also where the cache had it and the server confirmed it. */
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Printable URL that answered. */
  url: string;
}

const TRY_MS = 600_000;
const DEFAULT_LIMIT = 32 * 1024 * 1024;

/**
 * The text behind a URL, with retries, rate-limit waits and conditional requests. A page for browsers in its place is
 * tried again and then UPSTREAM_MALFORMED naming URL and content type, as is what `accept` throws with that code.
 * Throws NET_* otherwise, INTERRUPTED when the signal aborts.
 */
export async function fetchText(
  door: Door,
  url: string,
  options: TextOptions,
  accept: Accept = () => undefined,
): Promise<TextAnswer> {
  const cached = await options.cache?.get(url);
  return persist(redactUrl(url), options, () => tryText(door, url, options, cached, accept));
}

function tooSlow(url: string, ms: number): FerryError {
  const asked = redactUrl(url);
  return new FerryError("NET_TIMEOUT", `${asked} was not answered whole within ${Math.round(ms / 1000)} s`, {
    hint: "The server or a proxy hands its answer out too slowly: look at the URL with curl, then run the same command again.",
    details: { url: asked, ms },
  });
}

type Accept = (answer: TextAnswer & { text: string }) => void;

async function tryText(
  door: Door,
  url: string,
  options: TextOptions,
  cached: CacheEntry | undefined,
  accept: Accept,
): Promise<Attempt<TextAnswer>> {
  const { headers, signal, tryMs = TRY_MS } = options;
  const limit = AbortSignal.timeout(tryMs);
  try {
    const response = await door.request(url, {
      headers: { ...headers, ...(cached && { "if-none-match": cached.etag }) },
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    return await understand(response, url, options, cached, accept);
  } catch (error) {
    if (signal?.aborted === true) throw interrupted(`asking ${redactUrl(url)}`);
    if (limit.aborted) return { failed: { kind: "fault", error: tooSlow(url, tryMs) } };
    if (isFerryError(error)) return { failed: { kind: "fault", error } };
    throw error;
  }
}

async function understand(
  response: DoorResponse,
  asked: string,
  { cache, maxBytes = DEFAULT_LIMIT }: TextOptions,
  cached: CacheEntry | undefined,
  accept: Accept,
): Promise<Attempt<TextAnswer>> {
  const { status, headers, url } = response;
  if (status === 404 || status === 410) {
    leave(response);
    return { done: { text: undefined, status, headers, url } };
  }
  if (status === 304 && cached !== undefined) {
    leave(response);
    const confirmed = { text: cached.text, status: 200, headers: { ...cached.headers, ...headers }, url };
    accept(confirmed);
    return { done: confirmed };
  }
  if (status !== 200) return { failed: await failedAnswer(response, asked) };
  const answer = { text: await wholeText(response, maxBytes), status, headers, url };
  accept(answer);
  await remember(cache, asked, answer);
  return { done: answer };
}

/** Ends an answer whose body says nothing to us: a short one is read away, so that its connection serves again. */
function leave({ status, headers, body }: DoorResponse): void {
  body.on("error", () => undefined);
  if (status === 304 || Number(headers["content-length"]) <= 64 * 1024) body.resume();
  else body.destroy();
}

async function wholeText(response: DoorResponse, maxBytes: number): Promise<string> {
  if (isHtml(response.headers)) {
    leave(response);
    throw notTheAnswer(response, "answers with a page for browsers");
  }
  return readText(response, maxBytes);
}

async function remember(
  cache: ResponseCache | undefined,
  url: string,
  answer: TextAnswer & { text: string },
): Promise<void> {
  const etag = answer.headers["etag"];
  if (cache === undefined || etag === undefined) return;
  const headers: Record<string, string> = {};
  for (const name of ["content-type", "link", "last-modified"]) {
    const value = answer.headers[name];
    if (value !== undefined) headers[name] = value;
  }
  await cache.set(url, { etag, headers, text: answer.text });
}

/** UPSTREAM_MALFORMED that names the URL, what came, and its content type. */
export function notTheAnswer(
  { url, status, headers }: { url: string; status: number; headers: Readonly<Record<string, string>> },
  what: string,
): FerryError {
  const contentType = headers["content-type"] ?? "none";
  return new FerryError(
    "UPSTREAM_MALFORMED",
    `${url} ${what} (status ${status}, content type ${contentType})`,
    {
      hint: "A proxy or captive portal may answer in place of the server, or the server has a fault: look at the URL with curl.",
      details: { url, status, contentType },
    },
  );
}
