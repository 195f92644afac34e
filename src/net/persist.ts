import { type ErrorCode, FerryError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { redactText } from "../lib/redact.ts";
import { formatDuration } from "../lib/size.ts";
import type { Logger } from "../log.ts";
import { type Decision, decideRetry, type Outcome, type RetryPolicy } from "./retry.ts";

/** A wait longer than this is announced with its end, so that nobody takes it for a hang. Milliseconds. */
const ANNOUNCED_MS = 120_000;

export interface Persistence {
  clock: Clock;
  logger: Logger;
  /** In [0, 1), asked anew for every pause. */
  random: () => number;
  signal?: AbortSignal | undefined;
  policy?: RetryPolicy | undefined;
}

export type Attempt<T> =
  | { done: T }
  /** `progressed`: this try brought the work forward for good, so the count of tries begins anew. */
  | { failed: Outcome; progressed?: boolean };

/**
 * Tries until `attempt` is done or `decideRetry` gives up; then throws the outcome as a FerryError of the decided code.
 * `what` names the work in announcements. What `attempt` throws ends it at once.
 */
export async function persist<T>(
  what: string,
  with_: Persistence,
  attempt: () => Promise<Attempt<T>>,
): Promise<T> {
  const { clock, logger, random, signal, policy } = with_;
  for (let tries = 1; ; tries++) {
    const result = await attempt();
    if ("done" in result) return result.done;
    if (result.progressed === true) tries = 1;
    const outcome = result.failed;
    const decision = decideRetry({
      attempt: tries,
      outcome,
      now: clock.now(),
      random: random(),
      ...(policy && { policy }),
    });
    if (!decision.retry) throw failureOf(outcome, decision, tries);
    announce(what, decision, with_);
    logger.debug(`${what}: try ${tries} failed: ${decision.why}`);
    await clock.sleep(decision.afterMs, signal);
  }
}

function announce(what: string, decision: Decision & { retry: true }, { clock, logger }: Persistence): void {
  if (decision.afterMs <= ANNOUNCED_MS) return;
  const end = new Date(clock.now() + decision.afterMs).toISOString().replace(/\.\d+Z$/, "Z");
  logger.warn(`${what}: ${decision.why}; waiting ${formatDuration(decision.afterMs / 1000)}, until ${end}`);
}

function failureOf(outcome: Outcome, { code, why }: Decision & { retry: false }, tries: number): FerryError {
  if (outcome.kind === "fault") return outcome.error;
  const { status, headers, url } = outcome;
  const said = outcome.message === "" ? "" : `: ${redactText(outcome.message).slice(0, 300)}`;
  const times = tries > 1 ? ` after ${tries} tries` : "";
  const reason = code === "NET_RATE_LIMITED" ? `${why} (status ${status})` : `status ${status}`;
  return new FerryError(code, `${url} answered with ${reason}${times}${said}`, {
    hint: hintFor(code, status),
    details: { url, status, contentType: headers["content-type"], tries },
  });
}

function hintFor(code: ErrorCode, status: number): string {
  if (code === "NET_RATE_LIMITED") {
    return "Set GITHUB_TOKEN (60 requests an hour without, 5,000 with), or run the same command again later: what was fetched is kept.";
  }
  if (code === "NET_FORBIDDEN") {
    return "Permission is missing, or a proxy refuses: check GITHUB_TOKEN (its scopes, its expiry), the user and password in UV_DEFAULT_INDEX where the file is of a package index, and HTTPS_PROXY.";
  }
  return status >= 500
    ? "The server has a fault of its own: run the same command again later; what was fetched is kept."
    : "Check the address; the server knows it and refuses it, or does not know it.";
}
