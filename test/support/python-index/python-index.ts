import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { hexOf } from "../../../src/lib/digest.ts";
import { listen } from "../upstream/listen.ts";
import { parseRange } from "../upstream/ranges.ts";
import { htmlPage, jsonPage, type Listed, type Listing, offersMetadata } from "./listed.ts";
import { type Distribution, normalised } from "./wheel.ts";

/**
 * A package index on the loopback for real clients (uv, pip), with indexes like PyTorch's and GitHub's release wheels
 * beside it. What is not there answers 404.
 *
 *   const index = await pythonIndex();
 *   index.add(makeWheel({ name: "small", version: "1.0", requires: ["idna"] }), { uploadedAt: "2026-01-01T00:00:00Z" });
 *   index.addExtra("cu129", makeWheel({ name: "torch", version: "2.10.0+cu129" }), { uploadedAt: null });
 *   const url = index.addRelease("o/r", "v1.0", makeWheel({ … }));
 *   run uv with UV_DEFAULT_INDEX=index.simple; index.requests says what it asked for.
 */
export interface PythonIndex {
  /** `http://127.0.0.1:PORT` */
  origin: string;
  /** The default index: `…/simple/`. JSON for who prefers it, HTML for others. */
  simple: string;
  /** What stands for `https://download.pytorch.org/whl`. */
  whl: string;
  /** Lists a file on the default index. Its path is `/packages/ab/cd/REST/NAME`. Returns its address, encoded. */
  add(distribution: Distribution, listing?: Listing): string;
  /** Lists a wheel on the index `/whl/NAME/`, which has HTML alone. Returns its address, encoded. */
  addExtra(name: string, distribution: Distribution, listing?: Listing): string;
  /** A release asset at GitHub's path, on no index. Returns its address, encoded. */
  addRelease(repo: string, tag: string, distribution: Distribution): string;
  /** Takes a file off the page and away. */
  remove(filename: string): void;
  /** What was asked for, in order: `GET /simple/small/`, `GET /…/x.whl bytes=0-`. */
  requests: string[];
  close(): Promise<void>;
}

/** Until the running test ends. */
export async function pythonIndex(): Promise<PythonIndex> {
  const index = await startPythonIndex();
  onTestFinished(() => index.close());
  return index;
}

/** The same where no test is running; the caller closes it. */
export async function startPythonIndex(): Promise<PythonIndex> {
  /** By the folder of its pages: `simple/small`, `whl/cu129/torch`. */
  const pages = new Map<string, Listed[]>();
  const files = new Map<string, Listed>();
  const requests: string[] = [];
  let origin = "";
  const put = (path: string, distribution: Distribution, listing: Listing, page?: string): string => {
    const listed = { distribution, listing, path };
    files.set(path, listed);
    if (page !== undefined) pages.set(page, [...(pages.get(page) ?? []), listed]);
    return `${origin}${path.split("/").map(encodeURIComponent).join("/")}`;
  };
  const answer: RequestListener = (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname);
    const range = request.headers.range;
    requests.push(`${request.method} ${path}${range === undefined ? "" : ` ${range}`}`);
    const page = /^\/((simple|whl\/[^/]+)\/[a-z0-9-]+)\/$/.exec(path)?.[1];
    const listed = page === undefined ? undefined : pages.get(page);
    if (page !== undefined && listed !== undefined) {
      sendPage(request, response, page, listed, origin);
      return;
    }
    const bytes = bytesAt(files, path);
    if (bytes !== undefined) sendBytes(request, response, bytes);
    else response.writeHead(404, { "content-type": "text/plain" }).end("not found");
  };
  const listening = await listen(answer);
  origin = listening.origin;
  return {
    origin,
    simple: `${origin}/simple/`,
    whl: `${origin}/whl`,
    requests,
    add: (distribution, listing = {}) => {
      const hex = hexOf(distribution.digest);
      const path = `/packages/${hex.slice(0, 2)}/${hex.slice(2, 4)}/${hex.slice(4)}/${distribution.filename}`;
      return put(path, distribution, listing, `simple/${distribution.project}`);
    },
    addExtra: (name, distribution, listing = {}) =>
      put(
        `/whl/${name}/${distribution.filename}`,
        distribution,
        listing,
        `whl/${name}/${distribution.project}`,
      ),
    addRelease: (repo, tag, distribution) =>
      put(`/${repo}/releases/download/${tag}/${distribution.filename}`, distribution, {}),
    remove: (filename) => {
      for (const [path, { distribution }] of files) {
        if (distribution.filename === filename) files.delete(path);
      }
      for (const [page, listed] of pages) {
        pages.set(
          page,
          listed.filter(({ distribution }) => distribution.filename !== filename),
        );
      }
    },
    close: () => listening.close(),
  };
}

/** A file, or the metadata that a page offers beside it. */
function bytesAt(files: ReadonlyMap<string, Listed>, path: string): Buffer | undefined {
  const file = files.get(path);
  if (file !== undefined) return file.distribution.bytes;
  const owner = path.endsWith(".metadata") ? files.get(path.slice(0, -".metadata".length)) : undefined;
  if (owner === undefined || !offersMetadata(owner.distribution, owner.listing)) return undefined;
  return owner.distribution.metadata;
}

const JSON_TYPE = "application/vnd.pypi.simple.v1+json";

function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  page: string,
  listed: readonly Listed[],
  origin: string,
): void {
  const project = normalised(page.split("/").at(-1) ?? "");
  const json = page.startsWith("simple/") && (request.headers.accept ?? "").includes(JSON_TYPE);
  response.writeHead(200, { "content-type": json ? JSON_TYPE : "text/html", "cache-control": "no-cache" });
  response.end(json ? jsonPage(project, listed, origin) : htmlPage(project, listed, origin));
}

function sendBytes(request: IncomingMessage, response: ServerResponse, bytes: Buffer): void {
  const range = parseRange(request.headers.range, bytes.length);
  const headers = { "content-type": "application/octet-stream", "accept-ranges": "bytes" };
  if (range === "unsatisfiable") {
    response.writeHead(416, { "content-range": `bytes */${bytes.length}` }).end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: bytes.length };
  response.writeHead(range === undefined ? 200 : 206, {
    ...headers,
    "content-length": end - start,
    ...(range === undefined ? {} : { "content-range": `bytes ${start}-${end - 1}/${bytes.length}` }),
  });
  response.end(request.method === "HEAD" ? undefined : bytes.subarray(start, end));
}
