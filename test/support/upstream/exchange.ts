import type { IncomingHttpHeaders } from "node:http";
import type { PracticeAsset } from "./asset.ts";
import type { Content } from "./content.ts";

/** Which of GitHub's hosts is asked: the API, github.com, or the host that downloads are redirected to. */
export type HostName = "api" | "github" | "blob";

/** A request as handlers see it: no framework, no socket. */
export interface Ask {
  host: HostName;
  method: string;
  /** As sent: still percent-encoded, without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Milliseconds since the epoch. */
  now: number;
  /** How the API shows an asset; undefined hides it. Faults of the asset list set this. */
  view: (asset: PracticeAsset) => AssetView | undefined;
}

export interface AssetView {
  state: string;
  size: number;
  digest: string | null;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body?: string | Content;
  /** The part of a `Content` body that is sent, `end` exclusive; default: all of it. */
  span?: { start: number; end: number };
  /** No Content-Length is sent. */
  chunked?: boolean;
}

/** Answers what it knows; undefined means that no client of ours should ever ask this. */
export type Handler = (ask: Ask) => Answer | undefined;

/** Where the hosts are reached, without a trailing slash. */
export interface Bases {
  github: string;
  api: string;
  blob: string;
}

/** The decoded parts of a path, or undefined where it is not valid percent-encoding. */
export function segmentsOf(path: string): string[] | undefined {
  try {
    return path.split("/").slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

export function jsonAnswer(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  const body = JSON.stringify(value);
  return { status, headers: { "content-type": "application/json; charset=utf-8", ...headers }, body };
}

export function textAnswer(status: number, body: string, contentType = "text/plain; charset=utf-8"): Answer {
  return { status, headers: { "content-type": contentType }, body };
}

/** A redirect with the small page that people without `-L` save in place of the archive. */
export function redirectAnswer(location: string, status = 302): Answer {
  const body = `<html><body>You are being <a href="${location.replaceAll("&", "&amp;")}">redirected</a>.</body></html>`;
  return { status, headers: { "content-type": "text/html; charset=utf-8", location }, body };
}
