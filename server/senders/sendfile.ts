import { readSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { BodySender } from "../blob-sender.ts";
import { createBufferPool } from "./buffers.ts";
import { type Delivery, deliver, type SenderOptions } from "./deliver.ts";
import { wrongLength } from "./open-blob.ts";
import { descriptorOf } from "./raw-socket.ts";
import { copy, readAt } from "./stream.ts";
import type { SystemCalls } from "./system-calls.ts";

/** The first piece goes out with the head, by an ordinary write; most small files are done with it. */
const OPENING = 64 * 1024;
/** At most this much in one turn of the event loop: about 0.3 ms. */
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
  return {
    kind: "sendfile",
    send: async (response, blob, { start, end }) => {
      await deliver(response, blob, options, async (delivery) => {
        const at = await writeOpening(delivery, start, end + 1);
        if (at <= end) await moveRest(calls, delivery, at, end + 1);
      });
      return end + 1 - start;
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

async function moveRest(calls: SystemCalls, delivery: Delivery, from: number, to: number): Promise<void> {
  const { response, file, blob } = delivery;
  let at = from;
  let window = LARGEST_WINDOW;
  while (at < to) {
    const count = Math.min(window, to - at);
    if (!calls.resident(file, at, count)) await readAt(file, scratch, count, at);
    const socket = descriptorOf(response);
    const sent = socket === undefined ? "failed" : calls.sendfile(socket, file, at, count);
    // Ordinary writes find out what is wrong, and do without sendfile where nothing is but that.
    if (sent === "failed") return copy(delivery, at, to);
    if (sent === 0) throw wrongLength(blob, at);
    const moved = sent === "full" ? 0 : sent;
    at += moved;
    // A client with a small buffer is asked for what it takes, so that no more is looked up than is sent.
    window = Math.min(LARGEST_WINDOW, Math.max(SMALLEST_WINDOW, 2 * moved));
    if (moved < count) at += await writeDrain(delivery, at, Math.min(DRAIN, count - moved));
    else await nextTurn();
  }
  return delivery.outlet.end();
}

/** Its bytes lie within the window that was just found in the page cache, so reading them here waits for nothing. */
async function writeDrain({ outlet, file, blob }: Delivery, at: number, length: number): Promise<number> {
  const chunk = Buffer.allocUnsafeSlow(length);
  const found = readSync(file, chunk, 0, length, at);
  if (found === 0) throw wrongLength(blob, at);
  await outlet.write(found === length ? chunk : chunk.subarray(0, found));
  return found;
}
