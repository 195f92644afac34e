import { createServer, type Server } from "node:http";
// eslint-disable-next-line no-restricted-imports -- https here only listens; the mirror connects to nobody
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import { FerryError } from "../src/errors.ts";
import { readText } from "../src/lib/files.ts";
import type { Logger } from "../src/log.ts";
import type { Handler } from "./fast-handler.ts";
import { watchFiles } from "./watch-files.ts";

export interface TlsFiles {
  cert: string;
  key: string;
}

interface ServerOptions {
  tls: TlsFiles | undefined;
  maxConnections: number;
  /** Milliseconds between two looks at the TLS files; zero never looks by itself. */
  pollMs?: number;
  logger: Logger;
}

/** A server that does not listen yet, and what keeps its certificate fresh. */
export interface MirrorServer {
  server: Server | SecureServer;
  secure: boolean;
  /** Looks at the TLS files now. */
  checkCertificate: () => Promise<void>;
  close: () => void;
}

/** A request's head must come within a minute; a body of ours is a query of a few hundred bytes. */
const REQUEST_MS = 60_000;
const KEEP_ALIVE_MS = 30_000;

/**
 * Nothing here bounds how long an answer takes: senders drop a client that takes nothing, and never one that is slow.
 * Throws FILE_UNREADABLE, CONFIG_INVALID (a certificate and key that do not fit).
 */
export async function createHttpServer(handler: Handler, options: ServerOptions): Promise<MirrorServer> {
  const { tls, logger, pollMs = 1000 } = options;
  const settings = {
    requestTimeout: REQUEST_MS,
    headersTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  if (tls === undefined) {
    const server = limit(createServer(settings, handler), options);
    return { server, secure: false, checkCertificate: () => Promise.resolve(), close: () => undefined };
  }
  const server = await createSecure(tls, settings, handler);
  limit(server, options);
  const watch = await watchFiles([tls.cert, tls.key], {
    pollMs,
    onChange: async () => {
      try {
        server.setSecureContext(await readPair(tls));
        logger.info(`certificate read again from ${tls.cert}`);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        logger.warn(`the changed certificate or key cannot be used, the old one stays: ${why}`);
      }
    },
  });
  return {
    server,
    secure: true,
    checkCertificate: () => watch.check(),
    close: () => {
      watch.close();
    },
  };
}

async function createSecure(tls: TlsFiles, settings: object, handler: Handler): Promise<SecureServer> {
  const pair = await readPair(tls);
  try {
    return createSecureServer({ ...settings, ...pair, minVersion: "TLSv1.2" }, handler);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FerryError(
      "CONFIG_INVALID",
      `${tls.cert} and ${tls.key} are no usable certificate and key: ${why}`,
      {
        cause,
        hint: "Both must be PEM, the key without a passphrase, the certificate first in its chain.",
      },
    );
  }
}

async function readPair({ cert, key }: TlsFiles): Promise<TlsFiles> {
  return { cert: await readText(cert), key: await readText(key) };
}

function limit<T extends Server | SecureServer>(server: T, { maxConnections, logger }: ServerOptions): T {
  server.maxConnections = maxConnections;
  let refused = 0;
  server.on("drop", () => {
    // The first, and then rarely: a flood must not fill the log.
    if (refused++ % 1000 === 0) {
      logger.warn(`connection refused: ${maxConnections} are open (--max-connections)`);
    }
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const status =
      error.code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    else socket.destroy();
  });
  return server;
}
