/**
 * Buffers that are lent out, travel through a stream, and come back when their bytes have been written. Fresh megabytes for
 * every chunk cost a third more time, because each has to be mapped and cleared by the kernel.
 */
export interface BufferRing {
  /** Bytes of every buffer. */
  readonly size: number;
  lend(): Buffer;
  /** The part of a lent buffer that is filled; the buffer is free again when so many bytes of it have been written. */
  carry(buffer: Buffer, bytes: number): Buffer;
  /** Takes note that a chunk has been written. A chunk that is none of ours is ignored. */
  written(chunk: Uint8Array): void;
}

export function createBufferRing(size: number): BufferRing {
  const free: Buffer[] = [];
  const travelling = new Map<ArrayBufferLike, { buffer: Buffer; left: number }>();
  return {
    size,
    lend: () => free.pop() ?? Buffer.allocUnsafeSlow(size),
    carry: (buffer, bytes) => {
      if (bytes === 0) free.push(buffer);
      else travelling.set(buffer.buffer, { buffer, left: bytes });
      return buffer.subarray(0, bytes);
    },
    written: (chunk) => {
      const lent = travelling.get(chunk.buffer);
      if (lent === undefined) return;
      lent.left -= chunk.byteLength;
      if (lent.left > 0) return;
      travelling.delete(chunk.buffer);
      free.push(lent.buffer);
    },
  };
}

/** The same for a stream that may hold on to chunks after it took them: every buffer is used once. */
export function freshBuffers(size: number): BufferRing {
  return {
    size,
    lend: () => Buffer.allocUnsafeSlow(size),
    carry: (buffer, bytes) => buffer.subarray(0, bytes),
    written: () => undefined,
  };
}
