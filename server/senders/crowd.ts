import type { ServerResponse } from "node:http";
import { descriptorOf } from "./raw-socket.ts";
import type { SystemCalls } from "./system-calls.ts";

/** With so many files on their way at once, each gets its share of the kernel's memory, and no more. */
const CROWD = 32;
/** What a connection is held to in a crowd; Linux makes the double of it. */
const SHARE = 128 * 1024;
/** What it is let go to when the crowd is gone: as far as the system allows, which by itself gives 4 MiB. */
const AT_EASE = 2 * 1024 * 1024;

/** Keeps the many fair to each other. */
export interface Crowd {
  /** A file begins; the result is called when it has ended. */
  enter(): () => void;
  /** Called before bytes are handed to the kernel: holds this connection to its share, or lets it go. */
  hold(response: ServerResponse): void;
}

/**
 * The kernel takes whole files of some megabytes for each connection, if it is let: 1 GB for 256 of them. Whoever is
 * behind them then reads from whom it likes, which is mostly from connections whose receive window has grown, and these
 * are the ones that it reads from: some have file after file while others wait for one. Short queues keep all of them
 * near each other, because what a client did not take yet is still ours to give in turns.
 */
export function createCrowd(calls: Pick<SystemCalls, "limitSendBuffer">): Crowd {
  const held = new WeakSet<object>();
  let open = 0;
  return {
    enter: () => {
      open++;
      return () => {
        open--;
      };
    },
    hold: (response) => {
      const { socket } = response;
      if (socket === null || held.has(socket) === open > CROWD) return;
      const descriptor = descriptorOf(response);
      if (descriptor === undefined) return;
      if (open > CROWD) held.add(socket);
      else held.delete(socket);
      calls.limitSendBuffer(descriptor, open > CROWD ? SHARE : AT_EASE);
    },
  };
}
