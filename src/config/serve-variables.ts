import type { Env } from "./load.ts";

/** The variables that stand for flags of `serve`, by the flag's name, with what they say. */
export const SERVE_VARIABLES = {
  listen: {
    name: "FERRY_LISTEN",
    what: "address to serve on (default 127.0.0.1:8080; port 0 picks a free one)",
  },
  baseUrl: { name: "FERRY_BASE_URL", what: "the mirror's own address in links, where a proxy hides it" },
  tlsCert: { name: "FERRY_TLS_CERT", what: "certificate chain, PEM; read again when it changes" },
  tlsKey: { name: "FERRY_TLS_KEY", what: "private key of the certificate, PEM" },
  auth: { name: "FERRY_AUTH", what: "file of accepted tokens and passwords" },
  workers: { name: "FERRY_WORKERS", what: "processes that serve (default 1)" },
  accel: { name: "FERRY_ACCEL", what: "nginx: answer files with X-Accel-Redirect" },
  noSendfile: { name: "FERRY_NO_SENDFILE", what: "1: never use Linux sendfile" },
  trustProxy: {
    name: "FERRY_TRUST_PROXY",
    what: "proxies whose X-Forwarded-* count: addresses, CIDRs, loopback, uniquelocal, none (default loopback)",
  },
  idleTimeout: {
    name: "FERRY_IDLE_TIMEOUT",
    what: "seconds without progress after which a client is dropped (120)",
  },
  drainTimeout: {
    name: "FERRY_DRAIN_TIMEOUT",
    what: "seconds that running downloads get after SIGTERM (30)",
  },
  drainDelay: {
    name: "FERRY_DRAIN_DELAY",
    what: "seconds between readiness saying no and the last connection taken (0)",
  },
  maxConnections: { name: "FERRY_MAX_CONNECTIONS", what: "connections a process holds at once (4096)" },
  accessLog: { name: "FERRY_ACCESS_LOG", what: "stderr (default), off, or a file" },
} as const satisfies Record<string, { name: string; what: string }>;

export type ServeVariable = keyof typeof SERVE_VARIABLES;

/** What the environment says of `serve`'s flags, as text; an empty value counts as absent. */
export function serveEnvironment(env: Env): Partial<Record<ServeVariable, string>> {
  const found: Partial<Record<ServeVariable, string>> = {};
  for (const [flag, { name }] of Object.entries(SERVE_VARIABLES)) {
    const value = env[name];
    if (value !== undefined && value !== "") found[flag as ServeVariable] = value;
  }
  return found;
}
