import { createHash } from "node:crypto";
import { type Digest, digestFromHex } from "../../lib/digest.ts";

/** Reads up to `buffer.length` bytes at a position of the file; 0 at its end. */
export type ReadAt = (buffer: Buffer, position: number) => Promise<number>;

const READ_BYTES = 512 * 1024;

/**
 * SHA-256 of a file that arrives in any order: bytes at the frontier are hashed while they are in memory, those that
 * came early are read back (from the page cache, mostly) as soon as the frontier reaches them.
 */
export class FrontierHash {
  readonly #readAt: ReadAt;
  #hash = createHash("sha256");
  #position = 0;
  #target = 0;
  #following: Promise<void> | undefined;
  #buffer: Buffer | undefined;

  constructor(readAt: ReadAt) {
    this.#readAt = readAt;
  }

  /** Bytes that are about to be in the file at `offset`; taken only where they continue what is hashed. */
  offer(offset: number, parts: readonly Uint8Array[]): void {
    if (offset !== this.#position || this.#following !== undefined) return;
    for (const part of parts) {
      this.#hash.update(part);
      this.#position += part.length;
    }
  }

  /** The file is whole from its start up to `end`: catches up with it in the background. */
  follow(end: number): void {
    this.#target = Math.max(this.#target, end);
    if (this.#following !== undefined || this.#position >= this.#target) return;
    this.#following = this.#catchUp().then(() => {
      this.#following = undefined;
      this.follow(this.#target);
    });
    // A failure stays there for whoever asks for the digest; until then it must not count as unhandled.
    this.#following.catch(() => undefined);
  }

  /** The digest of the first `size` bytes, all of which are in the file. */
  async digest(size: number): Promise<Digest> {
    this.follow(size);
    while (this.#following !== undefined) await this.#following;
    if (this.#position !== size) throw new Error(`hashed ${this.#position} of ${size} bytes`);
    return digestFromHex(this.#hash.copy().digest("hex"));
  }

  /** Forgets everything; the file begins anew. */
  async reset(): Promise<void> {
    await this.stop();
    this.#hash = createHash("sha256");
    this.#position = 0;
  }

  /** Ends reading back; the file may be closed afterwards. */
  async stop(): Promise<void> {
    this.#target = 0;
    await this.#following?.catch(() => undefined);
    this.#following = undefined;
  }

  async #catchUp(): Promise<void> {
    this.#buffer ??= Buffer.allocUnsafeSlow(READ_BYTES);
    while (this.#position < this.#target) {
      const wanted = Math.min(READ_BYTES, this.#target - this.#position);
      const length = await this.#readAt(this.#buffer.subarray(0, wanted), this.#position);
      if (length === 0) {
        throw new Error(`the file ends at ${this.#position} bytes, ${this.#target} were written`);
      }
      if (this.#target === 0) return;
      this.#hash.update(this.#buffer.subarray(0, length));
      this.#position += length;
    }
  }
}
