import type { Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { FerryError, fromFileError } from "../errors.ts";
import type { BufferRing } from "./buffer-ring.ts";

export interface EntryFile {
  name: string;
  size: number;
  path: string;
}

/**
 * A file's facts, and its content as a stream of chunks as large as the ring's buffers. Throws STORE_DAMAGED where the
 * file is not of the announced size; the stream fails so where that changes later, when its header is written already.
 */
export async function entryStream(
  file: EntryFile,
  ring: BufferRing,
): Promise<{ stream: Readable; stats: Stats }> {
  const { name, path, size } = file;
  const stats = await stat(path).catch((error: unknown) => {
    throw fromFileError(error, "read", path, "FILE_UNREADABLE");
  });
  if (stats.size !== size) throw wrongSize(path, name, size, String(stats.size));
  return {
    stream: Readable.from(chunks(file, ring), { objectMode: false, highWaterMark: ring.size }),
    stats,
  };
}

async function* chunks({ name, size, path }: EntryFile, ring: BufferRing): AsyncGenerator<Buffer> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, "r");
    let read = 0;
    for (;;) {
      const buffer = ring.lend();
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
      const chunk = ring.carry(buffer, bytesRead);
      if (bytesRead === 0) break;
      read += bytesRead;
      if (read > size) throw wrongSize(path, name, size, `${read} or more`);
      yield chunk;
    }
    if (read < size) throw wrongSize(path, name, size, String(read));
  } catch (error) {
    throw fromFileError(error, "read", path, "FILE_UNREADABLE");
  } finally {
    await handle?.close();
  }
}

function wrongSize(path: string, name: string, expected: number, found: string): FerryError {
  return new FerryError("STORE_DAMAGED", `${path} has ${found} bytes where ${expected} were verified`, {
    hint: "Something changed it meanwhile. Run the same command again: it will be fetched anew.",
    details: { name, expected, found },
  });
}
