import { type Ask } from "./exchange.ts";

export interface Limits {
  /** Requests an hour without a token; GitHub gives 60. */
  anonymous: number;
  /** Requests an hour with one. */
  token: number;
}

const HOUR = 3_600_000;

/** Counts requests for each token (and for nobody) in windows of an hour, as the primary rate limit does. */
export class RateLimit {
  readonly #limits: Limits;
  readonly #windows = new Map<string, { used: number; reset: number }>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Counts one request; false where the hour's share is used up. */
  take(ask: Ask): boolean {
    const window = this.#window(ask);
    if (window.used >= this.#limit(ask)) return false;
    window.used++;
    return true;
  }

  /** A conditional request that brought nothing new is free of charge, though only with a token. */
  giveBack(ask: Ask): void {
    if (ask.headers.authorization !== undefined) this.#window(ask).used--;
  }

  /** Whole numbers; `reset` is in seconds since the epoch. */
  state(ask: Ask): { limit: number; used: number; remaining: number; reset: number } {
    const { used, reset } = this.#window(ask);
    const limit = this.#limit(ask);
    return { limit, used, remaining: limit - used, reset: Math.ceil(reset / 1_000) };
  }

  headers(ask: Ask): Record<string, string> {
    const { limit, used, remaining, reset } = this.state(ask);
    return {
      "x-ratelimit-limit": String(limit),
      "x-ratelimit-remaining": String(remaining),
      "x-ratelimit-reset": String(reset),
      "x-ratelimit-used": String(used),
      "x-ratelimit-resource": "core",
    };
  }

  #limit(ask: Ask): number {
    return ask.headers.authorization === undefined ? this.#limits.anonymous : this.#limits.token;
  }

  #window(ask: Ask): { used: number; reset: number } {
    const key = ask.headers.authorization ?? "";
    const known = this.#windows.get(key);
    if (known !== undefined && known.reset > ask.now) return known;
    const fresh = { used: 0, reset: ask.now + HOUR };
    this.#windows.set(key, fresh);
    return fresh;
  }
}
