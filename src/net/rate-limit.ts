export interface RateLimit {
  /** Milliseconds until the server wants to hear from us again. */
  waitMs: number;
  why: string;
}

/** What GitHub asks clients to wait when it names no time (its documentation: at least one minute). */
const UNNAMED_WAIT_MS = 60_000;

/** One second more than the reset says: clocks differ, and the new window must have begun. */
const RESET_MARGIN_MS = 1000;

interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  message: string;
}

/**
 * The rate limit that an answer speaks of, or undefined where it is none (a plain 403 is a matter of permission).
 * `now` in milliseconds since the epoch. Where the answer names several times, the longest counts.
 *
 * Facts: 403 or 429 with `x-ratelimit-remaining: 0` (until `x-ratelimit-reset`, epoch seconds); `retry-after` in seconds or
 * as a date; secondary limits are told by their text alone, formerly "abuse detection mechanism".
 */
export function rateLimitOf({ status, headers, message }: Answer, now: number): RateLimit | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const waits: RateLimit[] = [];
  const reset = Number(headers["x-ratelimit-reset"]);
  if (headers["x-ratelimit-remaining"]?.trim() === "0" && Number.isFinite(reset)) {
    waits.push({
      waitMs: Math.max(0, reset * 1000 - now) + RESET_MARGIN_MS,
      why: "the rate limit is used up",
    });
  }
  const after = parseRetryAfter(headers["retry-after"], now);
  if (after !== undefined) waits.push({ waitMs: after, why: "the server asked to wait" });
  if (waits.length > 0) return waits.reduce((a, b) => (b.waitMs > a.waitMs ? b : a));
  const secondary = /secondary rate limit|abuse detection/i.test(message);
  if (secondary) return { waitMs: UNNAMED_WAIT_MS, why: "a secondary rate limit was hit" };
  return status === 429 ? { waitMs: UNNAMED_WAIT_MS, why: "too many requests" } : undefined;
}

/** Milliseconds that a Retry-After header asks for: whole seconds, or an HTTP date. undefined where it says neither. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return /[a-z]/i.test(text) && !Number.isNaN(date) ? Math.max(0, date - now) : undefined;
}
