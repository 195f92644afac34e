import { readSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { BodySender } from "../blob-sender.ts";
import { createBufferPool } from "./buffers.ts";
import { type Crowd, createCrowd } from "./crowd.ts";
import { type Delivery, deliver, type SenderOptions } from "./deliver.ts";
import { wrongLength } from "./open-blob.ts";
import { descriptorOf } from "./raw-socket.ts";
import { copy, readAt } from "./stream.ts";
import type { SystemCalls } from "./system-calls.ts";

/** The first piece goes out with the head, by an ordinary write; most small files are done with it. */
const OPENING = 64 * 1024;
/** At most this much in one turn of the event loop: about 1 ms. */
const TURN = 4 * 1024 * 1024;
/** What is looked up in the page cache, and then sent, at once. */
const LARGEST_WINDOW = 1024 * 1024;
const SMALLEST_WINDOW = 64 * 1024;
/** The ordinary write whose callback says that a full socket has drained. */
const DRAIN = 4 * 1024;

const buffers = createBufferPool();
/** Where bytes are read to only to have them in the page cache. Shared: nobody looks at what is in it. */
const scratch = Buffer.allocUnsafeSlow(LARGEST_WINDOW);

/**
 * Linux sendfile on the response's socket: the kernel moves the bytes from its page cache, at a third of a stream's cost.
 *
 * sendfile waits for the disk where the cache lacks the bytes, and it runs on the event loop. So each window is looked up
 * in the page cache first, and read through the thread pool where it is not there: a cold file makes its own client
 * wait and nobody else.
 */
export function createSendfileSender(calls: SystemCalls, options: SenderOptions): BodySender {
  const crowd = createCrowd(calls);
  return {
    kind: "sendfile",
    send: async (response, blob, { start, end }) => {
      const leave = crowd.enter();
      try {
        await deliver(response, blob, options, async (delivery) => {
          const at = await writeOpening(delivery, start, end + 1);
          if (at <= end) await moveRest(calls, crowd, delivery, at, end + 1);
        });
        return end + 1 - start;
      } finally {
        leave();
      }
    },
  };
}

async function writeOpening(delivery: Delivery, from: number, to: number): Promise<number> {
  const buffer = buffers.take(OPENING);
  try {
    const length = await readAt(delivery.file, buffer, Math.min(OPENING, to - from), from);
    if (length === 0) throw wrongLength(delivery.blob, from);
    const chunk = buffer.subarray(0, length);
    await (from + length === to ? delivery.outlet.end(chunk) : delivery.outlet.write(chunk));
    return from + length;
  } finally {
    buffers.give(buffer);
  }
}

async function moveRest(
  calls: SystemCalls,
  crowd: Crowd,
  delivery: Delivery,
  from: number,
  to: number,
): Promise<void> {
  const { file, blob } = delivery;
  let at = from;
  let window = LARGEST_WINDOW;
  /** Where the bytes end that were just read, so that they need not be looked up: not every file system can tell. */
  let warmTo = 0;
  while (at < to) {
    crowd.hold(delivery.response);
    const pumped = pump(calls, delivery, at, { to, window, warmTo });
    const moved = pumped.at - at;
    at = pumped.at;
    warmTo = 0;
    switch (pumped.ended) {
      case "turn":
        await nextTurn();
        break;
      case "cold":
        warmTo = Math.min(at + window, to);
        await readAt(file, scratch, warmTo - at, at);
        break;
      case "full":
        at += await writeDrain(delivery, at, Math.min(DRAIN, pumped.known - at));
        // A client with a small buffer is asked for what it takes, so that no more is looked up than is sent.
        window = Math.min(LARGEST_WINDOW, Math.max(SMALLEST_WINDOW, 2 * moved));
        break;
      case "short":
        throw wrongLength(blob, at);
      case "failed":
        // Ordinary writes find out what is wrong, and do without sendfile where nothing is but that.
        return copy(delivery, at, to);
    }
  }
  return delivery.outlet.end();
}

interface Pumped {
  /** How far it came. */
  at: number;
  /** Where the bytes end that are known to be in the page cache. */
  known: number;
  ended: "turn" | "cold" | "full" | "short" | "failed";
}

/** Sends what the page cache has until the socket is full or the turn is over. Waits for nothing. */
function pump(
  calls: SystemCalls,
  { response, file }: Delivery,
  from: number,
  { to, window, warmTo }: { to: number; window: number; warmTo: number },
): Pumped {
  const until = Math.min(to, from + TURN);
  const socket = descriptorOf(response);
  if (socket === undefined) return { at: from, known: from, ended: "failed" };
  let at = from;
  while (at < until) {
    const known = Math.min(at + window, until);
    if (known > warmTo && !calls.resident(file, at, known - at)) return { at, known: at, ended: "cold" };
    const sent = calls.sendfile(socket, file, at, known - at);
    if (sent === "failed" || sent === "full") return { at, known, ended: sent };
    if (sent === 0) return { at, known, ended: "short" };
    at += sent;
    if (at < known) return { at, known, ended: "full" };
  }
  return { at, known: at, ended: "turn" };
}

/** Its bytes lie within the window that was just found in the page cache, so reading them here waits for nothing. */
async function writeDrain({ outlet, file, blob }: Delivery, at: number, length: number): Promise<number> {
  const chunk = Buffer.allocUnsafeSlow(length);
  const found = readSync(file, chunk, 0, length, at);
  if (found === 0) throw wrongLength(blob, at);
  await outlet.write(found === length ? chunk : chunk.subarray(0, found));
  return found;
}
