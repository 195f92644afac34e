import { FerryError } from "../src/errors.ts";
import type { MirrorServer } from "./http-server.ts";

export interface Address {
  host: string;
  port: number;
}

/** Begins to accept connections, and resolves with the URL. Throws CONFIG_INVALID where the address cannot be had. */
export async function listen({ server, secure }: MirrorServer, { host, port }: Address): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => {
      reject(cannotListen(error, { host, port }));
    };
    server.once("error", refuse);
    server.listen({ port, ...(host === "" ? {} : { host }) }, () => {
      server.off("error", refuse);
      resolve();
    });
  });
  const address = server.address();
  const bound =
    typeof address === "object" && address !== null
      ? { host: address.address, port: address.port }
      : { host, port };
  return urlOf(bound, secure);
}

/** How the address is written in `listening on URL`. */
export function urlOf({ host, port }: Address, secure: boolean): string {
  return `${secure ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function cannotListen(error: NodeJS.ErrnoException, { host, port }: Address): FerryError {
  const why: Record<string, string> = {
    EADDRINUSE: "another program listens there",
    EACCES: "this user may not (ports below 1024 need a privilege)",
    EADDRNOTAVAIL: "this machine has no such address",
    ENOTFOUND: "no such host",
  };
  const reason = why[error.code ?? ""] ?? error.message;
  return new FerryError("CONFIG_INVALID", `cannot listen on ${host}:${port}: ${reason}`, {
    cause: error,
    hint: "Choose another address with --listen HOST:PORT (FERRY_LISTEN).",
  });
}
