import type { ServerResponse } from "node:http";

/**
 * The descriptor of a response's plain socket, when a body may be written to it past Node right now: the response has
 * its turn, nothing of it waits in Node, and what carries it is TCP or a Unix socket and not TLS.
 * It is read from `_handle`, which is not public API and is null after an abort; undefined in every case of doubt.
 * Good until control returns to the event loop: a closed descriptor's number is given to the next connection.
 */
export function descriptorOf({ socket }: ServerResponse): number | undefined {
  if (socket === null || socket.destroyed || !socket.writable || socket.writableLength > 0) return undefined;
  if ("encrypted" in socket || !("_handle" in socket)) return undefined;
  return descriptorOfHandle(socket._handle);
}

function descriptorOfHandle(handle: unknown): number | undefined {
  if (typeof handle !== "object" || handle === null || !("fd" in handle)) return undefined;
  const kind = handle.constructor.name;
  if (kind !== "TCP" && kind !== "Pipe") return undefined;
  return typeof handle.fd === "number" && handle.fd >= 0 ? handle.fd : undefined;
}
