import { read } from "node:fs";
import type { BodySender } from "../blob-sender.ts";
import { createBufferPool } from "./buffers.ts";
import { type Delivery, deliver, type SenderOptions } from "./deliver.ts";
import { wrongLength } from "./open-blob.ts";

const buffers = createBufferPool();

/**
 * Reads and writes in turn, 512 KiB at a time: works everywhere, over TLS too. One buffer for each response is reused,
 * which costs less than a fresh one for each chunk, as `createReadStream` takes it.
 */
export function createStreamSender(options: SenderOptions): BodySender {
  return {
    kind: "stream",
    send: async (response, blob, { start, end }) => {
      await deliver(response, blob, options, (delivery) => copy(delivery, start, end + 1));
      return end + 1 - start;
    },
  };
}

/**
 * Writes the bytes from `from` to before `to`, and ends the response unless more of it is to come.
 * Throws STORE_DAMAGED where the file ends early.
 */
export async function copy(delivery: Delivery, from: number, to: number, ends = true): Promise<void> {
  const { outlet, file } = delivery;
  const buffer = buffers.take();
  try {
    for (let at = from; at < to; ) {
      const wanted = Math.min(buffer.length, to - at);
      const length = await readAt(file, buffer, wanted, at);
      if (length === 0) throw wrongLength(delivery.blob, at);
      at += length;
      const chunk = length === buffer.length ? buffer : buffer.subarray(0, length);
      await (ends && at === to ? outlet.end(chunk) : outlet.write(chunk));
    }
  } finally {
    buffers.give(buffer);
  }
}

/** Reads in the thread pool. The callback form: a promise of `FileHandle.read` costs more for each chunk. */
export function readAt(file: number, buffer: Buffer, length: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(file, buffer, 0, length, position, (error, bytes) => {
      if (error === null) resolve(bytes);
      else reject(error);
    });
  });
}
