import type { Ask, HostName } from "./exchange.ts";
import type { Fault } from "./fault.ts";

/** One request as it was met. */
export interface RequestRecord {
  method: string;
  host: HostName;
  /** As sent, without the query; of the API, relative to its base. */
  path: string;
  /** The query without the leading `?`, as sent. */
  query: string;
  range: string | undefined;
  ifNoneMatch: string | undefined;
  acceptEncoding: string | undefined;
  userAgent: string | undefined;
  /** Whether it carried an Authorization header. */
  authorized: boolean;
  /** 0 until it is answered, and where the connection ended before. */
  status: number;
  /** Bytes of the body that went out so far. */
  bytes: number;
  fault: Fault["kind"] | undefined;
  /** Nobody should have asked this; it makes `assertDone` fail. */
  unexpected: boolean;
}

export function recordOf(ask: Ask, fault: Fault | undefined): RequestRecord {
  return {
    method: ask.method,
    host: ask.host,
    path: ask.path,
    query: ask.query.toString(),
    range: ask.headers.range,
    ifNoneMatch: ask.headers["if-none-match"],
    acceptEncoding: headerText(ask.headers["accept-encoding"]),
    userAgent: ask.headers["user-agent"],
    authorized: ask.headers.authorization !== undefined,
    status: 0,
    bytes: 0,
    fault: fault?.kind,
    unexpected: false,
  };
}

function headerText(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(", ") : header;
}
