import { FerryError } from "../errors.ts";
import { redactUrl } from "../lib/redact.ts";

/** Redirects that one request follows at most; GitHub's longest chain (latest, tag, blob host) has two. */
export const MAX_REDIRECTS = 5;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status);
}

/**
 * The target of a request that may be opened: https, or http to an origin that was configured as http.
 * Throws NET_INSECURE for other http and NET_UNREACHABLE for what is no web address.
 */
export function checkTarget(url: string, insecureOrigins: readonly string[]): URL {
  const target = parseUrl(url);
  if (target === undefined || !/^https?:$/.test(target.protocol)) {
    throw new FerryError("NET_UNREACHABLE", `${redactUrl(url)} is not a web address (https://…)`, {
      details: { url: redactUrl(url), reason: "address" },
    });
  }
  if (target.protocol === "http:" && !insecureOrigins.includes(target.origin)) {
    throw new FerryError("NET_INSECURE", `${redactUrl(target)} would be asked for over plain http`, {
      hint: "Use https. Plain http is spoken only to a base that was itself configured as http (FERRY_GITHUB_URL, FERRY_GITHUB_API_URL).",
      details: { url: redactUrl(target) },
    });
  }
  return target;
}

/**
 * Where a redirect leads, if it may be followed. From https only to https. From an origin configured as http also to http,
 * but only to another configured origin or to another port of the same machine (practice upstreams and internal mirrors
 * keep their blob host there). Throws NET_INSECURE or NET_REDIRECT naming both ends.
 */
export function redirectTarget(
  from: URL,
  location: string | undefined,
  insecureOrigins: readonly string[],
): URL {
  const target = location === undefined ? undefined : parseUrl(location, from);
  if (target === undefined || !/^https?:$/.test(target.protocol)) {
    const where = location === undefined ? "without a target" : "to something that is not a web address";
    throw new FerryError("NET_REDIRECT", `${redactUrl(from)} redirects ${where}`, {
      hint: "A proxy or captive portal may answer in place of the server: look at the URL with curl -sI.",
      details: { url: redactUrl(from) },
    });
  }
  if (target.protocol === "https:") return target;
  if (from.protocol === "http:" && (insecureOrigins.includes(target.origin) || sameMachine(from, target))) {
    return target;
  }
  throw new FerryError("NET_INSECURE", `${redactUrl(from)} redirects to plain http: ${redactUrl(target)}`, {
    hint: "A redirect to http is not followed. A proxy or captive portal may answer in place of the server.",
    details: { url: redactUrl(from), target: redactUrl(target) },
  });
}

export function tooManyRedirects(url: string): FerryError {
  return new FerryError("NET_REDIRECT", `${redactUrl(url)} redirects more than ${MAX_REDIRECTS} times`, {
    hint: "A proxy or captive portal may answer in place of the server: look at the URL with curl -sIL.",
    details: { url: redactUrl(url) },
  });
}

function sameMachine(a: URL, b: URL): boolean {
  return a.hostname === b.hostname || (isLoopback(a.hostname) && isLoopback(b.hostname));
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(?:\.\d+){3}$/.test(host);
}

function parseUrl(text: string, base?: URL): URL | undefined {
  return URL.canParse(text, base?.href) ? new URL(text, base?.href) : undefined;
}
