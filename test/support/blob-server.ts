import { randomBytes } from "node:crypto";
import { mkdir, open, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { BodySender, ServedBlob } from "../../server/blob-sender.ts";
import { type Sent, sendBlob } from "../../server/send-blob.ts";
import { digestOf, hexOf } from "../../src/lib/digest.ts";

export interface BlobServer {
  /** Where the mirror itself listens. */
  origin: string;
  port: number;
  /** The store's `blobs/` folder. */
  folder: string;
  /** How each answer ended, in the order in which they did. */
  outcomes: (Sent | Error)[];
  /** A blob of this content, served at `/NAME`. */
  add: (name: string, content: Uint8Array) => Promise<ServedBlob>;
  /** A blob of `size` bytes, zero but for `islands`, under a digest that is not its own. */
  addSparse: (name: string, size: number, islands: [number, Uint8Array][]) => Promise<ServedBlob>;
  close: () => Promise<void>;
}

export const MODIFIED = new Date("2025-06-01T12:00:00.500Z");

/** A server that does nothing but answer with blobs, as `sendBlob` does it with this sender. */
export async function startBlobServer(
  sender: BodySender,
  home: string,
  makeServer: typeof createServer = createServer,
): Promise<BlobServer> {
  const folder = join(home, "blobs");
  await mkdir(join(folder, "sha256"), { recursive: true });
  const blobs = new Map<string, ServedBlob>();
  const outcomes: (Sent | Error)[] = [];
  const server: Server = makeServer((request, response) => {
    const blob = blobs.get(decodeURIComponent(request.url ?? ""));
    if (blob === undefined) {
      response.writeHead(404).end();
      return;
    }
    sendBlob(request, response, blob, sender).then(
      (sent) => outcomes.push(sent),
      (error: unknown) => outcomes.push(error as Error),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  const register = (name: string, size: number, digest = digestOf(randomBytes(8))): ServedBlob => {
    const file = join(folder, "sha256", hexOf(digest));
    const blob = { digest, size, file, name, contentType: "application/gzip", modified: MODIFIED };
    blobs.set(`/${name}`, blob);
    return blob;
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    folder,
    outcomes,
    add: async (name, content) => {
      const blob = register(name, content.length, digestOf(content));
      await writeFile(blob.file, content);
      return blob;
    },
    addSparse: async (name, size, islands) => {
      const blob = register(name, size);
      const handle = await open(blob.file, "w");
      await handle.truncate(size);
      for (const [at, bytes] of islands) await handle.write(bytes, 0, bytes.length, at);
      await handle.close();
      return blob;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
