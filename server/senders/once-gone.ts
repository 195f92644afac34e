import type { IncomingMessage } from "node:http";

type Socket = IncomingMessage["socket"];

const watched = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls `listener` when the connection ends, which it has not yet; the result takes that back.
 * One listener a connection, however many responses are pipelined on it.
 */
export function onceGone(socket: Socket, listener: () => void): () => void {
  let listeners = watched.get(socket);
  if (listeners === undefined) {
    const all = new Set<() => void>();
    listeners = all;
    watched.set(socket, all);
    const tell = (): void => {
      for (const each of [...all]) each();
    };
    socket.once("close", tell);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
