import type { IncomingMessage } from "node:http";

/** Whether the peer with this address is a proxy whose X-Forwarded-* count; `hop` counts from the mirror outwards. */
export type TrustProxy = (address: string, hop: number) => boolean;

const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?\.?|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;
const PREFIX = /^(?:\/[A-Za-z0-9._~-]+){1,8}$/;

/**
 * The mirror's own address as this client sees it, without a trailing slash: what `--base-url` says, else the Host header,
 * else, from a trusted proxy, X-Forwarded-Proto, -Host and -Prefix. undefined where the request names no usable host.
 * Headers of others do not count: whoever may set them could put its own address into an answer that a cache keeps.
 */
export function baseUrlOf(
  request: IncomingMessage,
  options: { baseUrl: string | undefined; trustProxy: TrustProxy },
): string | undefined {
  if (options.baseUrl !== undefined) return options.baseUrl;
  const { headers, socket } = request;
  const forwarded = forwardedBase(request, options.trustProxy);
  const host = forwarded.host ?? headers.host ?? localHost(request);
  if (host === undefined || !isHost(host)) return undefined;
  const secure = "encrypted" in socket && socket.encrypted === true;
  const scheme = forwarded.proto ?? (secure ? "https" : "http");
  return `${scheme}://${host.toLowerCase()}${forwarded.prefix}`;
}

/** The host that was found to be one last: most requests name the same. */
let lastHost = "";

function isHost(host: string): boolean {
  if (host === lastHost) return true;
  if (!HOST.test(host)) return false;
  lastHost = host;
  return true;
}

interface ForwardedBase {
  host?: string | undefined;
  proto?: string | undefined;
  prefix: string;
}

const NOT_FORWARDED: ForwardedBase = { prefix: "" };

function forwardedBase({ headers, socket }: IncomingMessage, trustProxy: TrustProxy): ForwardedBase {
  if (
    headers["x-forwarded-host"] === undefined &&
    headers["x-forwarded-proto"] === undefined &&
    headers["x-forwarded-prefix"] === undefined
  ) {
    return NOT_FORWARDED;
  }
  const given = (name: string): string | undefined => headers[name]?.toString().split(",")[0]?.trim();
  const host = given("x-forwarded-host");
  const proto = given("x-forwarded-proto");
  const prefix = given("x-forwarded-prefix")?.replace(/\/+$/, "");
  if (!trustProxy(socket.remoteAddress ?? "", 0)) return NOT_FORWARDED;
  return {
    host,
    proto: proto === "http" || proto === "https" ? proto : undefined,
    prefix: prefix !== undefined && PREFIX.test(prefix) ? prefix : "",
  };
}

/** HTTP/1.0 names no host: then it is the address that the client connected to. */
function localHost({ socket }: IncomingMessage): string | undefined {
  const { localAddress, localPort } = socket;
  if (localAddress === undefined || localPort === undefined) return undefined;
  return `${localAddress.includes(":") ? `[${localAddress}]` : localAddress}:${localPort}`;
}

/** The client's address: the nearest one that is no trusted proxy. */
export function clientOf({ headers, socket }: IncomingMessage, trustProxy: TrustProxy): string {
  let address = socket.remoteAddress ?? "";
  const forwarded = headers["x-forwarded-for"];
  if (forwarded === undefined) return address;
  const hops = forwarded.toString().split(",").reverse();
  for (const [hop, next] of hops.entries()) {
    if (!trustProxy(address, hop)) break;
    address = next.trim();
  }
  return address;
}
