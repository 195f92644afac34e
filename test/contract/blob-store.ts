import { buffer } from "node:stream/consumers";
import { beforeEach, describe, expect, it } from "vitest";
import { type Digest, digestFromHex, digestOf } from "../../src/lib/digest.ts";
import type { BlobStore } from "../../src/store/blob-store.ts";
import { collect } from "../support/collect.ts";

export interface StoreUnderTest {
  store: BlobStore;
  /** Puts other bytes under a digest, behind the store's back. */
  damage: (digest: Digest, bytes: Uint8Array) => Promise<void>;
}

/** What every BlobStore does. `open` gives a new empty one for each test. */
export function blobStoreContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} is a BlobStore`, () => {
    let store: BlobStore;
    let damage: StoreUnderTest["damage"];
    beforeEach(async () => {
      ({ store, damage } = await open());
    });

    const content = Buffer.from("the bytes of a blob");
    const digest = digestOf(content);
    const big = Buffer.alloc(3 * 1024 * 1024 + 17, "0123456789");
    const nobody = digestFromHex("0".repeat(64));

    it("holds nothing at first", async () => {
      expect(await store.stat(digest)).toBeUndefined();
      expect(await store.verify(digest, content.length)).toBe("absent");
      expect(await collect(store.list())).toEqual([]);
    });

    it("gives back what was put, whole and in parts", async () => {
      expect(await store.putSmall(content)).toBe(digest);
      expect(await store.stat(digest)).toBe(content.length);
      expect(await store.readSmall(digest)).toEqual(content);
      expect(await buffer(store.read(digest))).toEqual(content);
      expect((await buffer(store.read(digest, { start: 4, end: 8 }))).toString()).toBe("bytes");
      expect(await store.verify(digest, content.length)).toBe("ok");
    });

    it("puts the same content twice without harm", async () => {
      await store.putSmall(content);
      await store.putSmall(content);
      await store.putStream(chunked(content, 5), { digest, size: content.length }, "a file");
      expect(await collect(store.list())).toEqual([{ digest, size: content.length }]);
    });

    it.each([1, 4096, 1024 * 1024, 4 * 1024 * 1024])(
      "stores a stream of pieces of %i bytes",
      async (step) => {
        const small = step === 1 ? content : big;
        const expected = { digest: digestOf(small), size: small.length };
        await store.putStream(chunked(small, step), expected, "a file");
        expect((await buffer(store.read(expected.digest))).equals(small)).toBe(true);
        expect(await store.verify(expected.digest, expected.size)).toBe("ok");
      },
    );

    it("stores nothing, in no pieces or empty ones", async () => {
      const expected = { digest: digestOf(""), size: 0 };
      await store.putStream(chunked(Buffer.alloc(0), 1), expected, "an empty file");
      expect(await store.verify(expected.digest, 0)).toBe("ok");
      expect(await buffer(store.read(expected.digest))).toEqual(Buffer.alloc(0));
    });

    it.each([
      { what: "too short", size: content.length + 1, code: "SIZE_MISMATCH" },
      { what: "too long", size: content.length - 1, code: "SIZE_MISMATCH" },
      { what: "with other bytes", size: content.length, code: "DIGEST_MISMATCH" },
    ])("refuses a stream that is $what, and keeps nothing of it", async ({ size, code }) => {
      const expected = { digest: digestOf("something else"), size };
      await expect(store.putStream(chunked(content, 7), expected, "llama.tar.gz")).rejects.toMatchObject({
        code,
        message: expect.stringContaining("llama.tar.gz") as string,
      });
      expect(await store.stat(expected.digest)).toBeUndefined();
      expect(await collect(store.list())).toEqual([]);
    });

    it("B3: keeps nothing of a stream that breaks, and everything that was stored before", async () => {
      await store.putSmall(content);
      const expected = { digest: digestOf(big), size: big.length };
      await expect(store.putStream(breaking(big), expected, "a file")).rejects.toThrow("the line went dead");
      expect(await collect(store.list())).toEqual([{ digest, size: content.length }]);
    });

    it("B5: does not believe in what lies under a name: bytes and size decide", async () => {
      await store.putSmall(content);
      await damage(digest, Buffer.from("the bytes of a blog"));
      expect(await store.verify(digest, content.length)).toBe("damaged");
      await expect(store.readSmall(digest)).rejects.toMatchObject({ code: "STORE_DAMAGED" });
      await damage(digest, content.subarray(0, 3));
      expect(await store.verify(digest, content.length)).toBe("damaged");
      await store.putStream(chunked(content, 5), { digest, size: content.length }, "a file");
      expect(await store.verify(digest, content.length)).toBe("ok");
    });

    it("says so when asked for a blob that it lacks", async () => {
      await expect(store.readSmall(nobody)).rejects.toMatchObject({ code: "STORE_DAMAGED" });
      await expect(buffer(store.read(nobody))).rejects.toMatchObject({ code: "STORE_DAMAGED" });
    });

    it("deletes, also what is not there", async () => {
      await store.putSmall(content);
      await store.delete(digest);
      await store.delete(digest);
      expect(await store.stat(digest)).toBeUndefined();
    });
  });
}

async function* chunked(content: Buffer, step: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < content.length; from += step) {
    await Promise.resolve();
    yield content.subarray(from, from + step);
  }
}

async function* breaking(content: Buffer): AsyncGenerator<Uint8Array> {
  yield* chunked(content.subarray(0, content.length / 2), 100_000);
  throw new Error("the line went dead");
}
