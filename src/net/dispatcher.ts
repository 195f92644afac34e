import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { FerryError } from "../errors.ts";
import { redactUrl } from "../lib/redact.ts";
import type { DoorOptions } from "./door-types.ts";

/** Connections with our timeouts, through the given proxies. The process's environment is not looked at. */
export function createDispatcher({ proxy, timeouts }: DoorOptions): Dispatcher {
  const tls = { timeout: timeouts.connect };
  const limits = { headersTimeout: timeouts.idle, bodyTimeout: timeouts.idle, connect: tls };
  const http = proxyUrl(proxy.http);
  const https = proxyUrl(proxy.https);
  if (http === "" && https === "") return new Agent(limits);
  return new EnvHttpProxyAgent({
    ...limits,
    proxyTls: tls,
    requestTls: tls,
    // Plain http goes through a proxy as an ordinary request: many proxies open tunnels to port 443 alone.
    proxyTunnel: false,
    // An empty string, unlike undefined, keeps undici from reading the environment.
    httpProxy: http,
    httpsProxy: https,
    noProxy: proxy.no ?? "",
  });
}

/** `host:port` is what many people write; it means a proxy that is spoken to over http. */
function proxyUrl(given: string | undefined): string {
  if (given === undefined || given.trim() === "") return "";
  const url = given.includes("://") ? given.trim() : `http://${given.trim()}`;
  if (URL.canParse(url)) return url;
  throw new FerryError("CONFIG_INVALID", `the proxy address cannot be read: ${redactUrl(given)}`, {
    hint: "Set HTTPS_PROXY and HTTP_PROXY to something like http://proxy.example.org:3128.",
  });
}
