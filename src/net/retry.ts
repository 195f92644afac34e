import type { ErrorCode, FerryError } from "../errors.ts";
import { parseRetryAfter, type RateLimit, rateLimitOf } from "./rate-limit.ts";

/** How one try ended that did not bring what was asked for. */
export type Outcome =
  /** The server answered with something else than success. `message` is what its body says (may be empty). */
  | {
      kind: "answer";
      status: number;
      headers: Readonly<Record<string, string>>;
      message: string;
      /** Printable URL that answered. */
      url: string;
      /** Another origin than the one that was asked answered: a redirect target, perhaps with an expired signature. */
      elsewhere: boolean;
    }
  /** No usable answer: the connection failed, or its content was cut, foreign or unreadable. */
  | { kind: "fault"; error: FerryError };

export interface RetryPolicy {
  /** Tries in all, the first included. */
  tries: number;
  /** Milliseconds: the first pause, doubled with every try up to `capMs`, between half and all of it by chance. */
  baseMs: number;
  capMs: number;
  /** Milliseconds: a rate limit that asks for more ends the work. */
  longestWaitMs: number;
}

export const RETRY_POLICY: RetryPolicy = {
  tries: 6,
  baseMs: 500,
  capMs: 30_000,
  longestWaitMs: 2 * 3_600_000,
};

export type Decision =
  | { retry: true; afterMs: number; why: string }
  | { retry: false; code: ErrorCode; why: string };

/** Faults that may be gone the next time; every other code is final. */
const PASSING = new Set<ErrorCode>([
  "NET_UNREACHABLE",
  "NET_TIMEOUT",
  "NET_TRUNCATED",
  "SIZE_MISMATCH",
  "UPSTREAM_MALFORMED",
]);

/** Reasons (`details.reason`) that no second try removes: a refused certificate, an address that is none. */
const FINAL_REASONS = new Set<unknown>(["tls", "address"]);

export interface RetryQuestion {
  /** Which try failed: 1 for the first. */
  attempt: number;
  outcome: Outcome;
  /** Milliseconds since the epoch. */
  now: number;
  /** In [0, 1): spreads the pauses of many clients. */
  random: number;
  policy?: RetryPolicy;
}

/**
 * Whether a failed try is repeated, when, and why; or the code that the work ends with. Pure.
 * Rate limits follow GitHub's documentation and octokit's plugin-throttling: a wait is a wait, not an absent asset.
 */
export function decideRetry(question: RetryQuestion): Decision {
  const { attempt, outcome, now, policy = RETRY_POLICY } = question;
  if (outcome.kind === "fault") return afterFault(outcome.error, question, policy);
  const limit = rateLimitOf(outcome, now);
  if (limit !== undefined) return limited(limit, attempt, policy);
  return afterStatus(outcome, question, policy);
}

function afterFault(error: FerryError, { attempt, random }: RetryQuestion, policy: RetryPolicy): Decision {
  const { code, message, details } = error;
  const final = FINAL_REASONS.has(details?.["reason"]);
  if (!PASSING.has(code) || final || attempt >= policy.tries) {
    return { retry: false, code, why: message };
  }
  return { retry: true, afterMs: backoff(attempt, random, policy), why: message };
}

function afterStatus(
  { status, headers, elsewhere }: Outcome & { kind: "answer" },
  { attempt, now, random }: RetryQuestion,
  policy: RetryPolicy,
): Decision {
  const why = `status ${status}`;
  const last = attempt >= policy.tries;
  const pause = backoff(attempt, random, policy);
  if (status === 401 || status === 403 || status === 407) {
    if (!elsewhere || last) return { retry: false, code: "NET_FORBIDDEN", why };
    return {
      retry: true,
      afterMs: pause,
      why: `${why} from the redirect's target, whose signature may have expired`,
    };
  }
  const passing = status >= 500 || status === 408 || status === 425;
  if (!passing || last) return { retry: false, code: "NET_STATUS", why };
  return { retry: true, afterMs: Math.max(pause, retryAfterOnError(headers, now, policy)), why };
}

function limited(limit: RateLimit, attempt: number, policy: RetryPolicy): Decision {
  const tooLong = limit.waitMs > policy.longestWaitMs;
  if (tooLong || attempt >= policy.tries) return { retry: false, code: "NET_RATE_LIMITED", why: limit.why };
  return { retry: true, afterMs: limit.waitMs, why: limit.why };
}

function backoff(attempt: number, random: number, { baseMs, capMs }: RetryPolicy): number {
  const full = Math.min(capMs, baseMs * 2 ** (attempt - 1));
  return Math.round(full * (0.5 + random / 2));
}

/** A busy server (503) may say when to come back; more than the cap is not waited for. */
function retryAfterOnError(
  headers: Readonly<Record<string, string>>,
  now: number,
  { capMs }: RetryPolicy,
): number {
  return Math.min(capMs, parseRetryAfter(headers["retry-after"], now) ?? 0);
}
