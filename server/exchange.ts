import type { IncomingMessage, ServerResponse } from "node:http";
import type { Catalog } from "./catalog.ts";
import type { AnswerKind } from "./metrics.ts";

/** One request and what became of it, from its arrival to its line in the access log. */
export interface Exchange {
  /** Milliseconds since the epoch. */
  started: number;
  /** Decoded, without leading slash. */
  path: string;
  query: string;
  /** The request's target as it came. */
  target: string;
  /** The client's address. A closed connection no longer knows it. */
  client: string;
  /** The mirror's own address as this client sees it. */
  base: string;
  /** The catalog that answers it: one state, whatever is imported meanwhile. */
  catalog: Catalog;
  /** Under which its answer may be kept for the next who asks the same. */
  cacheKey: string;
  user: string | undefined;
  kind: AnswerKind;
  bytes: number;
  failure: string | undefined;
  /** Sending that goes on after the handler returned. */
  sending: Promise<void> | undefined;
}

/** On the response itself: a map beside it costs more than all the rest of a small answer. */
const EXCHANGE = Symbol("exchange");

type Carrying = ServerResponse & { [EXCHANGE]?: Exchange };

export function beginExchange(response: Carrying, exchange: Exchange): void {
  response[EXCHANGE] = exchange;
}

export function exchangeOf(response: Carrying): Exchange {
  const exchange = response[EXCHANGE];
  if (exchange === undefined) throw new Error("a response that did not come through the mirror's handler");
  return exchange;
}

/** Whether the request only reads. */
export function isRead({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}
