/** A request's target as far as it can be trusted: a decoded path of parts, none of them empty, `.` or `..`. */
export type RequestPath =
  | { ok: true; path: string; query: string; plain: boolean }
  | { ok: false; status: 400 | 414; reason: string };

/** Longer than any path that a document may carry (1,024 characters), even with every character percent-encoded. */
const MAX_TARGET = 6144;

// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const FORBIDDEN = /[\\\u0000-\u001f\u007f]/;

/** A part that is empty, or begins with a dot. */
const UNTIDY = /\/[/.]|.\/$/;

/**
 * Decodes a raw request target once. `%2F` separates parts as `/` does (clients paste tags either way), `+` stays a plus,
 * and repeated or trailing slashes do not count. The result is a key to look up, never a file name.
 * `plain` says whether the target was already written as `/` and the encoded parts, so that a router may read it as it is.
 */
export function parseRequestPath(target: string): RequestPath {
  if (target.length > MAX_TARGET) return refuse(414, `The address is longer than ${MAX_TARGET} characters.`);
  const local = target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?#]*/i, "");
  const cut = local.indexOf("?");
  const raw = cut === -1 ? local : local.slice(0, cut);
  const query = cut === -1 ? "" : local.slice(cut + 1);
  if (!raw.startsWith("/")) return refuse(400, "The path does not begin with a slash.");
  const decoded = decode(raw);
  if (decoded === undefined) {
    return refuse(400, "The path holds a percent sign that begins no valid encoding.");
  }
  if (FORBIDDEN.test(decoded)) return refuse(400, "The path holds a backslash or a control character.");
  // Most are as they should be; the rest is taken apart.
  if (!UNTIDY.test(decoded)) {
    return { ok: true, path: decoded.slice(1), query, plain: local === target };
  }
  const parts = decoded.split("/").filter((part) => part !== "");
  if (parts.some((part) => part === "." || part === "..")) {
    return refuse(400, "The path holds a part that is . or .. and would lead elsewhere.");
  }
  return { ok: true, path: parts.join("/"), query, plain: false };
}

function refuse(status: 400 | 414, reason: string): RequestPath {
  return { ok: false, status, reason };
}

function decode(raw: string): string | undefined {
  if (!raw.includes("%")) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}
