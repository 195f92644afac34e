/** Bytes that are read from front to back; how a tar's headers are read, whatever it comes from. */
export interface ByteInput {
  /** Offset of the next byte. */
  readonly position: number;
  /** Length of the whole, where it is known beforehand. */
  readonly length: number | undefined;
  /** The next `count` bytes, fewer only where the input ends. */
  read(count: number): Promise<Buffer>;
  /** Goes forward to an offset. Returns by how many bytes the input ends before it: 0 where it is reached. */
  moveTo(offset: number): Promise<number>;
}
