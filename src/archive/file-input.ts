import type { FileHandle } from "node:fs/promises";
import { fromFileError } from "../errors.ts";
import type { ByteInput } from "./byte-input.ts";

/** An open file as a ByteInput. Reads at offsets, so several readers of one handle do not disturb each other. */
export function fileInput(handle: FileHandle, length: number, label: string): ByteInput {
  let position = 0;
  return {
    length,
    get position() {
      return position;
    },
    read: async (count) => {
      const bytes = await readAt(handle, position, count, label);
      position += bytes.length;
      return bytes;
    },
    moveTo: (offset) => {
      position = Math.min(offset, length);
      return Promise.resolve(offset - position);
    },
  };
}

/** `count` bytes from `position`, fewer only where the file ends. Throws FILE_UNREADABLE. */
export async function readAt(
  handle: FileHandle,
  position: number,
  count: number,
  label: string,
): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(count);
  let filled = 0;
  try {
    while (filled < count) {
      const { bytesRead } = await handle.read(buffer, filled, count - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
  } catch (error) {
    throw fromFileError(error, "read", label, "FILE_UNREADABLE");
  }
  return buffer.subarray(0, filled);
}
