import { type ErrorCode, FerryError, isFerryError } from "../errors.ts";
import { redactText, redactUrl } from "../lib/redact.ts";

/** What went wrong on the way, as far as retrying and advice depend on it; stands in `details.reason`. */
export type NetworkReason =
  | "dns"
  | "refused"
  | "reset"
  | "connect-timeout"
  | "idle"
  | "tls"
  | "proxy"
  | "other";

const BY_CODE: Readonly<Record<string, NetworkReason>> = {
  ENOTFOUND: "dns",
  EAI_AGAIN: "dns",
  ECONNREFUSED: "refused",
  ECONNRESET: "reset",
  EPIPE: "reset",
  UND_ERR_SOCKET: "reset",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "reset",
  UND_ERR_CONNECT_TIMEOUT: "connect-timeout",
  ETIMEDOUT: "connect-timeout",
  UND_ERR_HEADERS_TIMEOUT: "idle",
  UND_ERR_BODY_TIMEOUT: "idle",
  UND_ERR_PRX_TLS: "tls",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls",
  SELF_SIGNED_CERT_IN_CHAIN: "tls",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "tls",
  UNABLE_TO_GET_ISSUER_CERT: "tls",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "tls",
  CERT_HAS_EXPIRED: "tls",
  CERT_NOT_YET_VALID: "tls",
  CERT_UNTRUSTED: "tls",
};

const SAID: Readonly<Record<NetworkReason, string>> = {
  dns: "the host name cannot be resolved",
  refused: "the connection was refused",
  reset: "the connection was closed before the answer was complete",
  "connect-timeout": "no connection came about in time",
  idle: "the server went silent",
  tls: "the server's certificate was not accepted",
  proxy: "the proxy did not let the request through",
  other: "the request failed",
};

const HINT: Readonly<Record<NetworkReason, string>> = {
  dns: "Check the host name and the DNS of this machine. Where the way out leads through a proxy, set HTTPS_PROXY.",
  refused:
    "Check that the address is right and that the service runs. Where the way out leads through a proxy, set HTTPS_PROXY.",
  reset:
    "Run the same command again: what was received is kept. If it repeats, look at the proxy or firewall in between.",
  "connect-timeout":
    "A firewall may drop the packets. Where the way out leads through a proxy, set HTTPS_PROXY (and NO_PROXY for what lies inside).",
  idle: "Run the same command again: what was received is kept. If it repeats, look at the proxy or firewall in between.",
  tls: "Where a proxy or company CA signs the traffic, give its certificate in NODE_EXTRA_CA_CERTS=/path/to/ca.pem; also check this machine's clock.",
  proxy: "Check HTTPS_PROXY and NO_PROXY: host, port, and the user and password that the proxy wants.",
  other: "Check the address, HTTPS_PROXY and the network of this machine.",
};

/**
 * What the HTTP client threw, as a NET_UNREACHABLE or NET_TIMEOUT that names the URL without secrets, the reason and a way
 * out. A FerryError passes through. `details` holds `url`, `reason` and, where known, the system's `code`.
 */
export function networkError(error: unknown, url: string): FerryError {
  if (isFerryError(error)) return error;
  const { code, message } = rootOf(error);
  const reason = reasonOf(code, message);
  const said = message === "" ? SAID[reason] : `${SAID[reason]} (${redactText(message)})`;
  const kind: ErrorCode =
    reason === "connect-timeout" || reason === "idle" ? "NET_TIMEOUT" : "NET_UNREACHABLE";
  const shown = redactUrl(url);
  return new FerryError(kind, `${shown}: ${said}`, {
    hint: HINT[reason],
    details: { url: shown, reason, ...(code === "" ? {} : { code }) },
  });
}

/** The innermost error that says something: clients wrap system errors, sometimes several of them at once. */
function rootOf(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: "", message: String(error) };
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (BY_CODE[code] === undefined || error.message === "") {
    const inner: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
    if (inner !== undefined) return rootOf(inner);
  }
  return { code, message: error.message };
}

function reasonOf(code: string, message: string): NetworkReason {
  const known = BY_CODE[code];
  if (known !== undefined) return known;
  if (/^ERR_(TLS|SSL)_|^EPROTO$/.test(code)) return "tls";
  if (/proxy/i.test(message)) return "proxy";
  return "other";
}
