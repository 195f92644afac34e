import type { ServerResponse } from "node:http";
import { DeliveryError } from "./delivery-error.ts";
import { watchIdle } from "./idle-watch.ts";
import { kernelQueue } from "./kernel-queue.ts";
import { onceGone } from "./once-gone.ts";

/**
 * The writing end of a response, for bodies that are moved piece by piece. Whatever happens to the client, each promise
 * settles: with DeliveryError when it left or stalled.
 */
export interface Outlet {
  /** Resolves when the kernel has taken the chunk (and the head, with the first): its memory may be used again. */
  write(chunk: Uint8Array): Promise<void>;
  /** Ends the response, with a last chunk or without; resolves when the kernel has all of it. */
  end(chunk?: Uint8Array): Promise<void>;
  /** Ends the connection, so that a client cannot take a part for the whole. */
  destroy(): void;
  /** Stops watching. Always called, once. */
  release(): void;
}

export function openOutlet(response: ServerResponse, idleMs: number): Outlet {
  // A pipelined response gets its socket only when those before it are done; the request knows it from the start.
  const { socket } = response.req;
  let failure: DeliveryError | undefined = socket.destroyed ? new DeliveryError("client-gone") : undefined;
  let refuse: ((error: DeliveryError) => void) | undefined;
  let taken = 0;

  const fail = (reason: DeliveryError["reason"]): void => {
    failure ??= new DeliveryError(reason);
    refuse?.(failure);
  };
  const onGone = (): void => {
    fail("client-gone");
  };
  const forget = onceGone(socket, onGone);
  response.on("error", onGone);

  const watch = watchIdle({
    idleMs,
    mark: () => {
      const waiting = refuse !== undefined && response.socket !== null;
      return waiting ? `${taken} ${unsent(socket)}` : undefined;
    },
    deepMark: () => kernelQueue(socket),
    onIdle: () => {
      fail("client-stalled");
      // A reset also frees what the kernel holds for the client, which may be megabytes.
      if ("encrypted" in socket) socket.destroy();
      else socket.resetAndDestroy();
    },
  });

  const settle = (begin: (done: (error?: Error | null) => void) => void): Promise<void> =>
    new Promise((resolve, reject) => {
      if (failure !== undefined) {
        reject(failure);
        return;
      }
      refuse = reject;
      begin((error) => {
        refuse = undefined;
        taken += 1;
        if (error === undefined || error === null) resolve();
        else reject(failure ?? new DeliveryError("client-gone"));
      });
    });

  return {
    write: (chunk) => settle((done) => response.write(chunk, done)),
    end: (chunk) => settle((done) => (chunk === undefined ? response.end(done) : response.end(chunk, done))),
    destroy: () => {
      socket.destroy();
    },
    release: () => {
      watch.stop();
      forget();
      response.off("error", onGone);
    },
  };
}

/** Bytes that Node has not yet handed to the kernel. Not public API, so its absence is no fault: then it never moves. */
function unsent(socket: object): number {
  const handle: unknown = "_handle" in socket ? socket._handle : undefined;
  if (typeof handle !== "object" || handle === null || !("writeQueueSize" in handle)) return 0;
  return Number(handle.writeQueueSize);
}
