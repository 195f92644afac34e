import type { FileHandle } from "node:fs/promises";
import { Writable } from "node:stream";

/** A stream into an open file; `written` is told of every chunk once its bytes need not be kept any longer. */
export function fileSink(handle: FileHandle, step: number, written: (chunk: Uint8Array) => void): Writable {
  const writeAll = async (chunk: Uint8Array): Promise<void> => {
    for (let from = 0; from < chunk.length; ) {
      from += (await handle.write(chunk, from, chunk.length - from)).bytesWritten;
    }
    written(chunk);
  };
  return new Writable({
    highWaterMark: step,
    decodeStrings: true,
    write: (chunk: Uint8Array, _encoding, done) => {
      writeAll(chunk).then(() => {
        done();
      }, done);
    },
  });
}
