import { createHmac } from "node:crypto";
import { isoSeconds } from "./asset.ts";
import type { Ask } from "./exchange.ts";

const SECRET = "practice upstream";

/** Adds `se` (the end of its life) and `sig` to a path of the blob host. `expires` is milliseconds since the epoch. */
export function signPath(
  path: string,
  expires: number,
  extra: Readonly<Record<string, string>> = {},
): string {
  const se = isoSeconds(expires);
  const query = new URLSearchParams({ sp: "r", se, ...extra, sig: signature(path, se) });
  return `${path}?${query.toString()}`;
}

export type SignatureState = "good" | "missing" | "wrong" | "expired";

export function checkSignature(ask: Ask): SignatureState {
  const se = ask.query.get("se");
  const sig = ask.query.get("sig");
  if (se === null || sig === null) return "missing";
  if (sig !== signature(ask.path, se)) return "wrong";
  return Date.parse(se) <= ask.now ? "expired" : "good";
}

function signature(path: string, se: string): string {
  return createHmac("sha256", SECRET).update(`${path}\n${se}`).digest("base64");
}
