import { createHash } from "node:crypto";
import { type Digest, digestFromHex } from "../../../src/lib/digest.ts";
import { randomBytesOf } from "../archives/random.ts";

/** The bytes of an asset, however they are held. `read` gives those from `start` up to, not including, `end`. */
export interface Content {
  readonly size: number;
  readonly digest: Digest;
  read(start: number, end: number): Iterable<Buffer>;
}

const CHUNK = 1024 * 1024;

/** Content that is at hand. */
export function bytesContent(bytes: Uint8Array | string): Content {
  const whole = Buffer.from(bytes);
  return withDigest(whole.length, function* (start, end) {
    for (let at = start; at < end; at += CHUNK) yield whole.subarray(at, Math.min(end, at + CHUNK));
  });
}

const built = new Map<string, Content>();

/** Content that is built when first asked for, and once a process for one `key`. The same key must mean the same bytes. */
export function lazyContent(key: string, build: () => Uint8Array | string): Content {
  const content = (): Content => {
    const known = built.get(key) ?? bytesContent(build());
    built.set(key, known);
    return known;
  };
  return deferredContent(content);
}

/** Content that is asked for anew each time: its size and digest follow what they depend on. */
export function deferredContent(content: () => Content): Content {
  return {
    get size() {
      return content().size;
    },
    get digest() {
      return content().digest;
    },
    read: (start, end) => content().read(start, end),
  };
}

/**
 * Content of any size that needs no memory: one random mebibyte again and again, each time with its number in front, so
 * that no two are alike. For benchmarks; the digest is computed when first asked for, at about 1 GB/s.
 */
export function generatedContent(seed: string, size: number): Content {
  const pattern = randomBytesOf(seed, CHUNK);
  return withDigest(size, function* (start, end) {
    for (let at = start; at < end; ) {
      const block = Math.floor(at / CHUNK);
      const chunk = Buffer.from(pattern);
      chunk.writeUInt32BE(block, 0);
      const until = Math.min(end, (block + 1) * CHUNK);
      yield chunk.subarray(at - block * CHUNK, until - block * CHUNK);
      at = until;
    }
  });
}

/** The whole content as one buffer. */
export function readAll(content: Content): Buffer {
  return Buffer.concat([...content.read(0, content.size)]);
}

function withDigest(size: number, read: Content["read"]): Content {
  let digest: Digest | undefined;
  return {
    size,
    read,
    get digest() {
      if (digest === undefined) {
        const hash = createHash("sha256");
        for (const chunk of read(0, size)) hash.update(chunk);
        digest = digestFromHex(hash.digest("hex"));
      }
      return digest;
    },
  };
}
