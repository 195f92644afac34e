import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Seen {
  method: string;
  /** Path with query, as it was sent. */
  url: string;
  headers: IncomingMessage["headers"];
}

export interface TestServer {
  origin: string;
  /** Every request so far. */
  seen: Seen[];
  close(): Promise<void>;
}

export type Handler = (request: IncomingMessage, response: ServerResponse, nth: number) => void;

/** A loopback server for the running test; `nth` counts requests from 1. Closed with all its connections afterwards. */
export async function serve(handler: Handler): Promise<TestServer> {
  const seen: Seen[] = [];
  const server: Server = createServer((request, response) => {
    seen.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers });
    // What the client cuts off is a part of many of these tests.
    response.on("error", () => undefined);
    handler(request, response, seen.length);
  });
  await new Promise<void>((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      resolve();
    }),
  );
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => {
        resolve();
      });
      server.closeAllConnections();
    });
  onTestFinished(close);
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, close };
}

export function reply(
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body = "",
): void {
  response.writeHead(status, headers).end(body);
}

export function sendJson(
  response: ServerResponse,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  reply(
    response,
    200,
    { "content-type": "application/json; charset=utf-8", ...headers },
    JSON.stringify(value),
  );
}
