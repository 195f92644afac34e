import { createCipheriv, createHash } from "node:crypto";

/** Bytes that look random and are the same on every machine: a cipher's key stream, keyed by the seed's hash. */
export function randomBytesOf(seed: string, size: number): Buffer {
  const key = createHash("sha256").update(seed).digest();
  return createCipheriv("aes-256-ctr", key, Buffer.alloc(16)).update(Buffer.alloc(size));
}

/** A whole number from 0 to `below` - 1 that depends on the text alone; `below` is at most 2^32. */
export function stableNumber(text: string, below: number): number {
  return createHash("sha256").update(text).digest().readUInt32BE(0) % below;
}

/** `length` hexadecimal digits that depend on the text alone. */
export function stableHex(text: string, length = 40): string {
  return createHash("sha512").update(text).digest("hex").slice(0, length);
}
