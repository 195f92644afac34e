import type { Readable } from "node:stream";
import { fromFileError } from "../errors.ts";
import type { ByteInput } from "./byte-input.ts";

/** A stream as a ByteInput: one pass, nothing kept. */
export interface StreamInput extends ByteInput {
  /** The next bytes as they come, at most `limit`; empty at the end of the input. Valid for as long as the caller likes. */
  some(limit: number): Promise<Uint8Array>;
}

export function streamInput(stream: Readable, label: string): StreamInput {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<unknown>;
  let rest: Uint8Array = Buffer.alloc(0);
  let position = 0;

  const some = async (limit: number): Promise<Uint8Array> => {
    while (rest.length === 0) {
      const next = await chunks.next().catch((error: unknown) => {
        throw fromFileError(error, "read", label, "FILE_UNREADABLE");
      });
      if (next.done === true) return rest;
      if (!(next.value instanceof Uint8Array)) {
        throw new TypeError("a bundle must be read as bytes, not as text");
      }
      rest = next.value;
    }
    const bytes = rest.subarray(0, limit);
    rest = rest.subarray(bytes.length);
    position += bytes.length;
    return bytes;
  };

  return {
    length: undefined,
    get position() {
      return position;
    },
    some,
    read: async (count) => {
      const buffer = Buffer.allocUnsafeSlow(count);
      let filled = 0;
      while (filled < count) {
        const bytes = await some(count - filled);
        if (bytes.length === 0) break;
        buffer.set(bytes, filled);
        filled += bytes.length;
      }
      return buffer.subarray(0, filled);
    },
    moveTo: async (offset) => {
      while (position < offset) {
        if ((await some(offset - position)).length === 0) break;
      }
      return offset - position;
    },
  };
}
