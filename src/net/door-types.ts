import type { Readable } from "node:stream";

/** What the door needs to know before it opens; `src/config` makes it from environment and flags. */
export interface DoorOptions {
  /** No request at all leaves: everything throws NET_OFFLINE. */
  offline: boolean;
  /** Token and the one origin (scheme, host, port) that it may be sent to. */
  credentials?: { origin: string; token: string };
  /** The `authorization` of other hosts (a private package index), each its own; undefined for a host without. */
  otherCredentials?: ((target: URL) => string | undefined) | undefined;
  /**
   * Origins that were configured as plain http (practice upstreams, internal mirrors). Everything else is https alone;
   * a redirect from https to http is refused wherever it leads.
   */
  insecureOrigins: readonly string[];
  /** HTTP(S)_PROXY and NO_PROXY as given. */
  proxy: { http?: string; https?: string; no?: string };
  userAgent: string;
  /** Milliseconds. `idle` is the longest silence within a response, never a limit for a whole one. */
  timeouts: { connect: number; idle: number };
}

export interface DoorRequest {
  method?: "GET" | "HEAD";
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

export interface DoorResponse {
  status: number;
  /** Lower-case names; repeated headers joined by a comma. */
  headers: Readonly<Record<string, string>>;
  /** The URL that answered in the end, without its query where that is signed (safe to print). */
  url: string;
  body: Readable;
}

/**
 * The one door to the network. Follows redirects by hand (five at most), sends the token to its own origin alone, asks
 * for identity encoding, and throws NET_* errors that name the URL without secrets.
 * A status of 400 and above is returned, not thrown: what it means is the caller's to say.
 */
export interface Door {
  request(url: string, options?: DoorRequest): Promise<DoorResponse>;
  close(): Promise<void>;
}
