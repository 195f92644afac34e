import express from "express";
import { FerryError } from "../src/errors.ts";
import type { TrustProxy } from "./base-url.ts";

/**
 * Compiles `--trust-proxy`: addresses, CIDRs and Express' words (`loopback`, `linklocal`, `uniquelocal` for the private
 * ranges), separated by commas, or `none`. By default only a proxy on this machine counts: behind the gap every address
 * is a private one, so being private says nothing. Throws CONFIG_INVALID.
 */
export function compileTrustProxy(text: string): TrustProxy {
  if (text === "none") return () => false;
  try {
    const app = express();
    app.set("trust proxy", text);
    return app.get("trust proxy fn") as TrustProxy;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FerryError("CONFIG_INVALID", `--trust-proxy (FERRY_TRUST_PROXY): ${why}`, {
      cause,
      hint: "Give addresses or CIDRs separated by commas, or loopback, linklocal, uniquelocal, none.",
    });
  }
}
