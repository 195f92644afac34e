import { gzipSync } from "node:zlib";
import { Header } from "tar";

/** One member of an archive built in code. Nothing is checked: hostile names are what some tests want. */
export interface TarMember {
  path: string;
  type?: "File" | "Directory" | "SymbolicLink" | "Link" | "CharacterDevice" | "FIFO";
  content?: Uint8Array | string;
  /** Permission bits; default 0644, folders 0755. */
  mode?: number;
  /** Target of a link. */
  linkpath?: string;
}

/** Every member carries this time, so that the same members are the same bytes. */
const MTIME = new Date("2026-01-01T00:00:00Z");
const BLOCK = 512;

/** A plain ustar archive of the members, in their order, owned by nobody in particular. */
export function tarOf(members: readonly TarMember[]): Buffer {
  return Buffer.concat([...members.flatMap(blocksOf), Buffer.alloc(2 * BLOCK)]);
}

/**
 * The same, in a gzip container. The content is stored, not deflated: it is random mostly, and stored bytes are equal
 * whatever zlib a Node version brings.
 */
export function tarGzOf(members: readonly TarMember[]): Buffer {
  const packed = gzipSync(tarOf(members), { level: 0 });
  packed[9] = 3; // The container names the operating system; ours is always "Unix".
  return packed;
}

function blocksOf(member: TarMember): Buffer[] {
  const content = Buffer.from(member.content ?? "");
  const type = member.type ?? "File";
  const header = new Header({
    path: member.path,
    type,
    mode: member.mode ?? (type === "Directory" ? 0o755 : 0o644),
    size: content.length,
    mtime: MTIME,
    uid: 0,
    gid: 0,
    ...(member.linkpath === undefined ? {} : { linkpath: member.linkpath }),
  });
  const block = Buffer.alloc(BLOCK);
  if (header.encode(block)) throw new Error(`${member.path} does not fit a ustar header`);
  return [block, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
}
