import { crc32 } from "node:zlib";

export interface ZipMember {
  name: string;
  content: Uint8Array | string;
  /** `0o755` for programs; `0o644` by default. */
  mode?: number;
}

/** Everything is dated 1 January 2020, so that equal content makes equal bytes. */
const DATE = (40 << 9) | (1 << 5) | 1;

/** A zip file of these members, in their order. They are stored as they are: whatever zlib a Node version brings, the bytes are equal. */
export function zipOf(members: readonly ZipMember[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, mode = 0o644 } of members) {
    const bytes = Buffer.from(content);
    const title = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800, 2);
    common.writeUInt16LE(0, 4);
    common.writeUInt16LE(DATE, 8);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(bytes.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(title.length, 22);
    parts.push(Buffer.from("PK\x03\x04", "latin1"), common, title, bytes);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((0o100000 | mode) * 0x1_0000, 6);
    rest.writeUInt32LE(offset, 10);
    // Made by Unix: without it the modes do not count.
    directory.push(Buffer.from("PK\x01\x02\x14\x03", "latin1"), common, rest, title);
    offset += 30 + title.length + bytes.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(members.length, 4);
  end.writeUInt16LE(members.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, central, Buffer.from("PK\x05\x06", "latin1"), end]);
}
