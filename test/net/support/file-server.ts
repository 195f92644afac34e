import type { IncomingMessage, ServerResponse } from "node:http";
import { serve, type TestServer } from "./server.ts";

export interface ServedFile {
  content: Buffer;
  etag?: string;
  /** Content type of answers; default application/octet-stream. */
  type?: string;
}

export interface FileServer extends TestServer {
  /** What is served from now on. */
  file: ServedFile;
  /** Body bytes handed to connections so far. */
  sent: number;
  /** `bytes=…` of every request, in order; undefined where none was sent. */
  ranges(): (string | undefined)[];
}

/** Answers in place of the file; returns false to let the file be served after all. */
export type Misbehave = (request: IncomingMessage, response: ServerResponse, nth: number) => boolean;

/** Serves one file under every path with ranges, If-Range and ETag, as blob hosts do, unless `misbehave` answers. */
export async function serveFile(file: ServedFile, misbehave: Misbehave = () => false): Promise<FileServer> {
  const server = await serve((request, response, nth) => {
    if (!misbehave(request, response, nth)) sendFile(files, request, response);
  });
  const files: FileServer = Object.assign(server, {
    file,
    sent: 0,
    ranges: () => server.seen.map(({ headers }) => headers.range),
  });
  return files;
}

export function sendFile(server: FileServer, request: IncomingMessage, response: ServerResponse): void {
  const { content, etag, type = "application/octet-stream" } = server.file;
  const common = { "accept-ranges": "bytes", "content-type": type, ...(etag === undefined ? {} : { etag }) };
  const ifRange = request.headers["if-range"];
  const asked = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
  if (asked === null || (ifRange !== undefined && ifRange !== etag)) {
    server.sent += content.length;
    response.writeHead(200, { ...common, "content-length": String(content.length) }).end(content);
    return;
  }
  const start = Number(asked[1]);
  const end = asked[2] === "" ? content.length : Math.min(content.length, Number(asked[2]) + 1);
  if (start >= content.length) {
    response.writeHead(416, { ...common, "content-range": `bytes */${content.length}` }).end();
    return;
  }
  server.sent += end - start;
  response.writeHead(206, {
    ...common,
    "content-length": String(end - start),
    "content-range": `bytes ${start}-${end - 1}/${content.length}`,
  });
  response.end(content.subarray(start, end));
}

/** Sends the file's head with its true length, then `length` bytes, then cuts the connection. */
export function cutAfter(
  server: FileServer,
  request: IncomingMessage,
  response: ServerResponse,
  length: number,
): void {
  const { content, etag } = server.file;
  const asked = /^bytes=(\d+)-/.exec(request.headers.range ?? "");
  const start = Number(asked?.[1] ?? 0);
  response.writeHead(asked === null ? 200 : 206, {
    "accept-ranges": "bytes",
    "content-length": String(content.length - start),
    ...(asked === null ? {} : { "content-range": `bytes ${start}-${content.length - 1}/${content.length}` }),
    ...(etag === undefined ? {} : { etag }),
  });
  server.sent += length;
  response.write(content.subarray(start, start + length), () => {
    // Closed in order (no reset), so that what was sent arrives.
    request.socket.end();
  });
}
