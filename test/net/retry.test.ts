import { describe, expect, it } from "vitest";
import { type ErrorCode, FerryError } from "../../src/errors.ts";
import { type Decision, decideRetry, type Outcome, RETRY_POLICY } from "../../src/net/retry.ts";

const NOW = Date.parse("2026-10-10T12:00:00Z");
const RESET = String(NOW / 1000 + 600);

function answer(
  status: number,
  headers: Record<string, string> = {},
  message = "",
  elsewhere = false,
): Outcome {
  return { kind: "answer", status, headers, message, url: "https://api.example.org/x", elsewhere };
}

function fault(code: ErrorCode, reason?: string): Outcome {
  return {
    kind: "fault",
    error: new FerryError(code, "it failed", reason === undefined ? {} : { details: { reason } }),
  };
}

function decide(outcome: Outcome, attempt = 1, random = 0): Decision {
  return decideRetry({ attempt, outcome, now: NOW, random });
}

function brief(decision: Decision): number | string {
  return decision.retry ? decision.afterMs : decision.code;
}

describe("decideRetry", () => {
  const secondary = "You have exceeded a secondary rate limit. Please wait a few minutes.";
  const abuse = "You have triggered an abuse detection mechanism.";
  const date = new Date(NOW + 90_000).toUTCString();

  it.each<[string, Outcome, number | string]>([
    [
      "403, nothing remaining",
      answer(403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": RESET }),
      601_000,
    ],
    [
      "429, nothing remaining",
      answer(429, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": RESET }),
      601_000,
    ],
    ["reset already past", answer(403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" }), 1000],
    ["429, Retry-After in seconds", answer(429, { "retry-after": "7" }), 7000],
    ["403, Retry-After in seconds", answer(403, { "retry-after": "7" }), 7000],
    ["429, Retry-After as a date", answer(429, { "retry-after": date }), 90_000],
    ["429, unreadable Retry-After", answer(429, { "retry-after": "soon" }), 60_000],
    ["429 without any", answer(429), 60_000],
    ["403 secondary without Retry-After", answer(403, {}, secondary), 60_000],
    ["429 secondary without Retry-After", answer(429, {}, secondary), 60_000],
    ["403 abuse detection", answer(403, {}, abuse), 60_000],
    ["403 secondary with Retry-After", answer(403, { "retry-after": "5" }, secondary), 5000],
    [
      "both a reset and Retry-After: the longer",
      answer(403, { "retry-after": "5", "x-ratelimit-remaining": "0", "x-ratelimit-reset": RESET }),
      601_000,
    ],
    [
      "plain 403 with requests remaining",
      answer(403, { "x-ratelimit-remaining": "58", "x-ratelimit-reset": RESET }, "Resource not accessible"),
      "NET_FORBIDDEN",
    ],
    ["plain 403", answer(403), "NET_FORBIDDEN"],
    ["401", answer(401), "NET_FORBIDDEN"],
  ])("B11: %s", (_, outcome, expected) => {
    expect(brief(decide(outcome))).toBe(expected);
  });

  it.each<[string, Outcome, number | string]>([
    ["500", answer(500), 250],
    ["502", answer(502), 250],
    ["503 with Retry-After", answer(503, { "retry-after": "3" }), 3000],
    ["503 that asks for an hour: the cap", answer(503, { "retry-after": "3600" }), 30_000],
    ["408", answer(408), 250],
    ["425", answer(425), 250],
    ["404", answer(404), "NET_STATUS"],
    ["304 unasked", answer(304), "NET_STATUS"],
    ["416", answer(416), "NET_STATUS"],
    ["B9: 403 from a redirect's target", answer(403, {}, "", true), 250],
    ["reset", fault("NET_UNREACHABLE", "reset"), 250],
    ["dns", fault("NET_UNREACHABLE", "dns"), 250],
    ["certificate", fault("NET_UNREACHABLE", "tls"), "NET_UNREACHABLE"],
    ["stall", fault("NET_TIMEOUT"), 250],
    ["truncated", fault("NET_TRUNCATED"), 250],
    ["other size", fault("SIZE_MISMATCH"), 250],
    ["malformed", fault("UPSTREAM_MALFORMED"), 250],
    ["offline", fault("NET_OFFLINE"), "NET_OFFLINE"],
    ["insecure", fault("NET_INSECURE"), "NET_INSECURE"],
    ["redirects", fault("NET_REDIRECT"), "NET_REDIRECT"],
    ["disk full", fault("DISK_FULL"), "DISK_FULL"],
  ])("%s", (_, outcome, expected) => {
    expect(brief(decide(outcome))).toBe(expected);
  });

  it("doubles the pause up to the cap, between half and all of it by chance", () => {
    const pauses = [1, 2, 3, 4, 5].map((attempt) => brief(decide(answer(500), attempt, 0.999999)));
    expect(pauses).toEqual([500, 1000, 2000, 4000, 8000]);
    const late = decideRetry({
      attempt: 12,
      outcome: answer(500),
      now: NOW,
      random: 0,
      policy: { ...RETRY_POLICY, tries: 20 },
    });
    expect(brief(late)).toBe(15_000);
  });

  it.each<[Outcome, string]>([
    [answer(500), "NET_STATUS"],
    [answer(429), "NET_RATE_LIMITED"],
    [answer(403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": RESET }), "NET_RATE_LIMITED"],
    [answer(403, {}, "", true), "NET_FORBIDDEN"],
    [fault("NET_TRUNCATED"), "NET_TRUNCATED"],
  ])("gives up after the last try: %#", (outcome, code) => {
    expect(brief(decide(outcome, RETRY_POLICY.tries))).toBe(code);
    expect(decide(outcome, RETRY_POLICY.tries - 1).retry).toBe(true);
  });

  it("gives up at once where a rate limit asks for longer than the longest wait", () => {
    expect(brief(decide(answer(429, { "retry-after": "86400" })))).toBe("NET_RATE_LIMITED");
  });
});
