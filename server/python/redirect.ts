import type { Request, Response } from "express";
import { encodePath } from "../../src/wire/github.ts";
import { exchangeOf } from "../exchange.ts";
import type { Mirror } from "../mirror.ts";

/** The path as the client wrote it, with its slashes and its encoding. */
export function pathAsked(response: Response): string {
  const local = exchangeOf(response).target.replace(/^https?:\/\/[^/?#]*/i, "");
  return local.split("?", 1)[0] ?? "";
}

/**
 * Sends a client to where a page is, for good. The address is relative to the one that was asked, so it holds behind any
 * prefix that a proxy has taken off. `path` is decoded, without leading slash.
 */
export function redirectTo(mirror: Mirror, request: Request, response: Response, path: string): void {
  const { base } = exchangeOf(response);
  const above = "../".repeat(pathAsked(response).split("/").length - 2);
  const address = encodePath(path);
  mirror.text(request, response, 301, `It is at ${base}/${address}`, { location: `${above}${address}` });
}
