import type { FileHandle } from "node:fs/promises";
import { Writable } from "node:stream";

/** Bytes after which what was written is sent on to the disk, while more is written: the flush at the end has little left. */
const FLUSH_EVERY = 64 * 1024 * 1024;

/** A stream into an open file; `written` is told of every chunk once its bytes need not be kept any longer. */
export function fileSink(handle: FileHandle, step: number, written: (chunk: Uint8Array) => void): Writable {
  let unflushed = 0;
  let flushing: Promise<void> | undefined;
  const writeAll = async (chunk: Uint8Array): Promise<void> => {
    for (let from = 0; from < chunk.length; ) {
      from += (await handle.write(chunk, from, chunk.length - from)).bytesWritten;
    }
    written(chunk);
    unflushed += chunk.length;
    if (unflushed < FLUSH_EVERY || flushing !== undefined) return;
    unflushed = 0;
    // What goes wrong here goes wrong again in the flush at the end, which is waited for.
    flushing = handle
      .datasync()
      .catch(() => undefined)
      .finally(() => (flushing = undefined));
  };
  return new Writable({
    highWaterMark: step,
    final: (done) => {
      void (flushing ?? Promise.resolve()).then(() => {
        done();
      });
    },
    decodeStrings: true,
    write: (chunk: Uint8Array, _encoding, done) => {
      writeAll(chunk).then(() => {
        done();
      }, done);
    },
  });
}
