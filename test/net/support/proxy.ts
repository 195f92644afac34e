import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { onTestFinished } from "vitest";

export interface TestProxy {
  url: string;
  /** `CONNECT host:port` or `GET http://…`, in order. */
  seen: string[];
  /** The proxy-authorization headers, in order. */
  authorizations: (string | undefined)[];
}

/** A proxy that tunnels, and answers plain requests itself; with `refuse` it answers everything with that status. */
export async function startProxy(refuse?: number): Promise<TestProxy> {
  const seen: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const note = (request: IncomingMessage): void => {
    seen.push(`${request.method ?? ""} ${request.url ?? ""}`);
    authorizations.push(request.headers["proxy-authorization"]);
  };
  const server = createServer((request, response) => {
    note(request);
    response.writeHead(refuse ?? 200, { "content-type": "text/plain" }).end("from the proxy");
  });
  server.on("connect", (request, socket) => {
    note(request);
    socket.on("error", () => undefined);
    if (refuse !== undefined) {
      socket.end(`HTTP/1.1 ${refuse} Refused\r\n\r\n`);
      return;
    }
    const [host = "", port = ""] = (request.url ?? "").split(":");
    const target = connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      target.pipe(socket).pipe(target);
    });
    target.on("error", () => socket.destroy());
    socket.on("close", () => target.destroy());
  });
  await new Promise<void>((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      resolve();
    }),
  );
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, authorizations };
}
