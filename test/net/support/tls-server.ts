import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { TEST_CERTIFICATE, TEST_KEY } from "./tls-pair.ts";

/** An https server with our self-signed certificate, for the running test: `https://localhost:PORT`. */
export async function serveTls(handler: RequestListener): Promise<string> {
  const server = createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, handler);
  await new Promise<void>((resolve) =>
    server.listen(0, "localhost", () => {
      resolve();
    }),
  );
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}
