import { Readable } from "node:stream";
import { FerryError } from "../../src/errors.ts";
import { type Digest, digestOf } from "../../src/lib/digest.ts";
import type { BlobStore } from "../../src/store/blob-store.ts";

/** A blob store in memory, for tests of what stands above stores. It passes the same contract suite as the real one. */
export interface MemoryStore extends BlobStore {
  readonly blobs: Map<Digest, Buffer>;
}

export function memoryStore(): MemoryStore {
  const blobs = new Map<Digest, Buffer>();
  const get = (digest: Digest): Buffer => {
    const found = blobs.get(digest);
    if (found === undefined) throw new FerryError("STORE_DAMAGED", `the store lacks ${digest}`);
    return found;
  };
  return {
    blobs,
    stat: (digest) => Promise.resolve(blobs.get(digest)?.length),
    read: (digest, range) =>
      Readable.from(
        part(() => get(digest), range),
        { objectMode: false },
      ),
    readSmall: async (digest) => {
      const content = await Promise.resolve(get(digest));
      if (digestOf(content) !== digest) throw new FerryError("STORE_DAMAGED", `${digest} has other bytes`);
      return content;
    },
    putSmall: (content) => {
      const digest = digestOf(content);
      blobs.set(digest, Buffer.from(content));
      return Promise.resolve(digest);
    },
    putStream: async (content, expected, what) => {
      const parts: Uint8Array[] = [];
      for await (const chunk of content) parts.push(Buffer.from(chunk));
      const whole = Buffer.concat(parts);
      if (whole.length !== expected.size) {
        throw new FerryError("SIZE_MISMATCH", `${what}: ${whole.length} bytes`);
      }
      const found = digestOf(whole);
      if (found !== expected.digest) throw new FerryError("DIGEST_MISMATCH", `${what}: ${found}`);
      blobs.set(expected.digest, whole);
    },
    verify: (digest, size) => {
      const found = blobs.get(digest);
      if (found === undefined) return Promise.resolve("absent");
      return Promise.resolve(found.length === size && digestOf(found) === digest ? "ok" : "damaged");
    },
    delete: (digest) => {
      blobs.delete(digest);
      return Promise.resolve();
    },
    list: async function* () {
      await Promise.resolve();
      for (const [digest, content] of blobs) yield { digest, size: content.length };
    },
  };
}

async function* part(get: () => Buffer, range?: { start: number; end: number }): AsyncGenerator<Buffer> {
  const content = await Promise.resolve().then(get);
  yield range === undefined ? content : content.subarray(range.start, range.end + 1);
}
