import type { Ask, HostName } from "./exchange.ts";

/** Which requests a fault strikes. */
export interface FaultMatch {
  /** Tested against the decoded path, without the query: `/b11347-bin-ubuntu-x64/`. */
  path: RegExp;
  /** Default: the host that the kind is about (see `Fault`). */
  host?: HostName | "any";
  method?: "GET" | "HEAD";
  /** Only requests with, or only those without, a Range header. */
  range?: boolean;
}

/** What goes wrong. The comment names the host where it strikes unless the match says otherwise. */
export type Fault =
  /** blob: the connection ends after so many bytes of the body. */
  | { kind: "cut"; after: number }
  /** blob: nothing more comes after so many bytes, and the connection stays open. */
  | { kind: "stall"; after: number }
  /** blob: a whole, well-formed answer 200 that has only so many bytes; 0 is the empty one of B1. */
  | { kind: "short"; length: number }
  /** blob: B2, a page for browsers with status 200. */
  | { kind: "html" }
  /** blob: the right length, one bit wrong in the byte at this offset of the whole file. */
  | { kind: "flip"; at: number }
  /** blob: B7, the whole body with 200 whatever range was asked for. */
  | { kind: "ignore-range" }
  /** blob: 416 whatever was asked for. */
  | { kind: "unsatisfiable" }
  /** blob: B9, the signature is said to have expired. */
  | { kind: "expired" }
  /** blob: every connection is held to this speed. */
  | { kind: "slow"; bytesPerSecond: number }
  /** github: a redirect to this address. */
  | { kind: "redirect"; to: string }
  /** github: a redirect to the address that was asked for. */
  | { kind: "redirect-loop" }
  /** api: the refusals of B11, see `RateLimitShape`. */
  | { kind: "rate-limit"; shape: RateLimitShape; status?: 403 | 429; seconds?: number }
  /** api: B13, these assets are shown as begun uploads. */
  | { kind: "uploading"; assets: RegExp; state?: "starter" | "open"; size?: number }
  /** api: B13, these assets are not in the list yet. */
  | { kind: "hidden"; assets: RegExp }
  /** any: this answer in place of the right one: 5xx, malformed JSON, a proxy's page. */
  | { kind: "answer"; status: number; body?: string; contentType?: string; headers?: Record<string, string> }
  /** any: the connection ends before an answer. */
  | { kind: "hang-up" };

/**
 * `primary`: remaining 0 and a reset in `seconds`. `retry-after`, `retry-date`: a Retry-After of `seconds`, as a number
 * or as a date. `secondary`: only the message says so. `bare`: nothing but the status. `permission`: a plain refusal that
 * no waiting helps. Default `seconds` 60, default status 403 (429 for `retry-after`, `retry-date`, `bare`).
 */
export type RateLimitShape = "primary" | "retry-after" | "retry-date" | "secondary" | "bare" | "permission";

export type FaultOrder = Fault & {
  match: FaultMatch;
  /** How many matching requests it strikes; default 1. Infinity for all of them, though at least one. */
  times?: number;
  /** How many matching requests pass unharmed before. */
  skip?: number;
};

const HOST: Readonly<Record<Fault["kind"], HostName | "any">> = {
  cut: "blob",
  stall: "blob",
  short: "blob",
  html: "blob",
  flip: "blob",
  "ignore-range": "blob",
  unsatisfiable: "blob",
  expired: "blob",
  slow: "blob",
  redirect: "github",
  "redirect-loop": "github",
  "rate-limit": "api",
  uploading: "api",
  hidden: "api",
  answer: "any",
  "hang-up": "any",
};

/** The faults on order. Of several that match a request, the first with anything left strikes, alone. */
export class FaultBook {
  readonly #orders: { order: FaultOrder; skip: number; struck: number }[] = [];

  add(order: FaultOrder): void {
    if (order.match.path.global || order.match.path.sticky) {
      throw new Error("a fault's pattern must not have g or y");
    }
    this.#orders.push({ order, skip: order.skip ?? 0, struck: 0 });
  }

  take(ask: Ask): Fault | undefined {
    for (const entry of this.#orders) {
      if (!matches(entry.order, ask)) continue;
      if (entry.skip > 0) {
        entry.skip--;
        continue;
      }
      if (entry.struck >= (entry.order.times ?? 1)) continue;
      entry.struck++;
      return entry.order;
    }
    return undefined;
  }

  /** In words, every fault that did not strike as often as was ordered. */
  unused(): string[] {
    return this.#orders
      .filter(
        ({ order, struck }) =>
          struck === 0 || ((order.times ?? 1) !== Infinity && struck < (order.times ?? 1)),
      )
      .map(({ order, struck }) => {
        return `fault ${order.kind} at ${String(order.match.path)} struck ${struck} of ${order.times ?? 1} times`;
      });
  }
}

function matches({ kind, match }: FaultOrder, ask: Ask): boolean {
  const host = match.host ?? HOST[kind];
  if (host !== "any" && host !== ask.host) return false;
  if (match.method !== undefined && match.method !== ask.method) return false;
  if (match.range !== undefined && match.range !== (ask.headers.range !== undefined)) return false;
  return match.path.test(decoded(ask.path));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
