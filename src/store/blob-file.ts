import { createHash } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { FerryError } from "../errors.ts";
import { type Digest, digestFromHex } from "../lib/digest.ts";
import { temporaryBeside } from "../lib/files.ts";
import { syncFolder } from "../lib/sync-folder.ts";

/** Small pieces are gathered to this many bytes before they are hashed and written: four times fewer calls a byte. */
const GATHER = 1024 * 1024;

/**
 * Writes a blob beside its final path, hashing on the way, and renames it there once size and digest are as expected and
 * everything is on disk. Whatever goes wrong, nothing new lies under the final name and nothing is left beside it.
 */
export async function writeBlobFile(
  path: string,
  content: AsyncIterable<Uint8Array>,
  expected: { digest: Digest; size: number },
  what: string,
): Promise<void> {
  const temporary = temporaryBeside(path);
  try {
    const handle = await open(temporary, "wx", 0o644);
    try {
      await handle.chmod(0o644);
      requireExpected(await copyHashed(content, handle, expected.size, what), expected, what);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}

interface Received {
  digest: Digest;
  size: number;
}

/** Stops as soon as more than `limit` bytes have come: a source that never ends must not fill the disk. */
async function copyHashed(
  content: AsyncIterable<Uint8Array>,
  handle: FileHandle,
  limit: number,
  what: string,
): Promise<Received> {
  const hash = createHash("sha256");
  // Two buffers: while one is being written, the other is filled and hashed.
  const buffers: [Buffer, Buffer] = [Buffer.allocUnsafeSlow(GATHER), Buffer.allocUnsafeSlow(GATHER)];
  let current = 0;
  let filled = 0;
  let size = 0;
  let writing: Promise<void> = Promise.resolve();
  const flush = async (): Promise<void> => {
    const full = (buffers[current] ?? buffers[0]).subarray(0, filled);
    await writing;
    writing = writeAll(handle, full);
    // The rejection is awaited at the next flush; until then it must not count as unhandled.
    writing.catch(() => undefined);
    hash.update(full);
    current = 1 - current;
    filled = 0;
  };
  for await (const chunk of content) {
    size += chunk.length;
    if (size > limit) throw sizeMismatch(what, limit, size, "or more");
    for (let from = 0; from < chunk.length; ) {
      const part = chunk.subarray(from, from + GATHER - filled);
      (buffers[current] ?? buffers[0]).set(part, filled);
      filled += part.length;
      from += part.length;
      if (filled === GATHER) await flush();
    }
  }
  if (filled > 0) await flush();
  await writing;
  return { digest: digestFromHex(hash.digest("hex")), size };
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.length; ) {
    from += (await handle.write(bytes, from, bytes.length - from)).bytesWritten;
  }
}

export function requireExpected(received: Received, expected: Received, what: string): void {
  if (received.size !== expected.size) throw sizeMismatch(what, expected.size, received.size);
  if (received.digest === expected.digest) return;
  throw new FerryError("DIGEST_MISMATCH", `${what}: expected ${expected.digest}, found ${received.digest}`, {
    hint: "The bytes were changed or damaged on their way. Nothing was stored.",
    details: { what, expected: expected.digest, found: received.digest },
  });
}

export function sizeMismatch(what: string, expected: number, found: number, more = ""): FerryError {
  const tail = more === "" ? "" : ` ${more}`;
  return new FerryError("SIZE_MISMATCH", `${what}: expected ${expected} bytes, found ${found}${tail}`, {
    hint: "The bytes were cut or changed on their way. Nothing was stored.",
    details: { what, expected, found },
  });
}
