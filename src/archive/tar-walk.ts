import { Header, Pax } from "tar";
import type { ByteInput } from "./byte-input.ts";
import { malformed, truncated } from "./faults.ts";
import { judgeLayoutName, quoted } from "./layout-names.ts";
import { looksLike } from "./looks-like.ts";

/** A file of the bundle: its content is `size` bytes from `start` on. */
export interface TarMember {
  name: string;
  size: number;
  start: number;
}

const BLOCK = 512;
/** Far more contents than any bundle has: a list of empty members must not fill the memory. */
const MAX_MEMBERS = 1_000_000;
/** Extended headers that tar programs write are some hundred bytes. */
const MAX_EXTENDED = 64 * 1024;
/** GNU tar fills its last record with zeros, 10 KiB by default and more with `-b`. */
const MAX_PADDING = 16 * 1024 * 1024;

/**
 * Walks the headers of a bundle's tar. After each member the input is moved behind its content, whatever the caller has
 * read of it. Nothing but regular files with the layout's names, each once, is let through.
 * Throws BUNDLE_MALFORMED and BUNDLE_TRUNCATED, naming the member and the offset.
 */
export async function* walkTar(input: ByteInput, label: string): AsyncGenerator<TarMember> {
  const seen = new Set<string>();
  let extended: Pax | undefined;
  for (;;) {
    const header = await readHeader(input, extended, label);
    if (header.nullBlock) {
      await requireEnd(input, label);
      return;
    }
    if (header.type === "ExtendedHeader" || header.type === "GlobalExtendedHeader") {
      extended = await readExtended(input, header, label);
      continue;
    }
    extended = undefined;
    const name = judge(header, label);
    if (name === undefined) continue;
    if (seen.has(name)) throw malformed(label, `it holds ${name} twice`);
    seen.add(name);
    if (seen.size > MAX_MEMBERS) throw malformed(label, `it holds more than ${MAX_MEMBERS} files`);
    const member = { name, size: header.size ?? 0, start: input.position };
    requireWhole(member, (input.length ?? Infinity) - member.start - member.size, label);
    yield member;
    const end = member.start + Math.ceil(member.size / BLOCK) * BLOCK;
    requireWhole(member, -(await input.moveTo(end)), label);
  }
}

/** `spare` is how many bytes there are behind the member, negative where it is cut. */
function requireWhole({ name, size }: TarMember, spare: number, label: string): void {
  if (spare < 0) throw truncated(label, `${name} has ${size} bytes`, -spare);
}

async function readHeader(input: ByteInput, extended: Pax | undefined, label: string): Promise<Header> {
  const at = input.position;
  const block = await input.read(BLOCK);
  if (at === 0) requireTar(block, label);
  if (block.length < BLOCK) throw truncated(label, "it has no end mark");
  return parseHeader(block, extended, at, label);
}

function requireTar(block: Buffer, label: string): void {
  if (block.length === 0) throw truncated(label, "it is empty");
  if (block.every((byte) => byte === 0)) {
    throw malformed(label, "it begins with nothing but zeros", "The copy failed: copy the bundle again.");
  }
  if (block.length === BLOCK && hasChecksum(block)) return;
  const { what, hint } = looksLike(block);
  throw malformed(label, `it is ${what}, and so no bundle`, hint);
}

function hasChecksum(block: Buffer): boolean {
  try {
    return new Header(block).cksumValid;
  } catch {
    return false;
  }
}

function parseHeader(block: Buffer, extended: Pax | undefined, at: number, label: string): Header {
  let header: Header;
  try {
    header = new Header(block, 0, extended);
  } catch {
    throw malformed(label, `the header at byte ${at} cannot be read`);
  }
  if (header.nullBlock || header.cksumValid) return header;
  throw malformed(label, `the header at byte ${at} is damaged (its checksum is wrong)`);
}

/** The member's name where it is a file of the layout, undefined for a folder. */
function judge(header: Header, label: string): string | undefined {
  const raw = header.path ?? "";
  const { type } = header;
  if (type !== "File" && type !== "OldFile" && type !== "ContiguousFile" && type !== "Directory") {
    throw malformed(
      label,
      `${quoted(raw)} is refused: it is of type ${type}, and a bundle holds files alone`,
    );
  }
  if (header.size === undefined || !Number.isSafeInteger(header.size)) {
    throw malformed(label, `${quoted(raw)} is refused: its size cannot be read`);
  }
  const name = judgeLayoutName(raw, type === "Directory");
  if (name.kind === "refused") throw malformed(label, `${quoted(raw)} is refused: ${name.why}`);
  return name.kind === "file" ? name.name : undefined;
}

/** What an extended header says of the next member. A global one may say what it likes, except about names and sizes. */
async function readExtended(input: ByteInput, header: Header, label: string): Promise<Pax | undefined> {
  const size = header.size ?? 0;
  if (size > MAX_EXTENDED) throw malformed(label, `an extended header of ${size} bytes is refused`);
  const body = await input.read(size);
  const missing = size - body.length + (await input.moveTo(Math.ceil(input.position / BLOCK) * BLOCK));
  if (missing > 0) throw truncated(label, "an extended header", missing);
  const found = Pax.parse(body.toString("utf8"), undefined);
  if (header.type === "ExtendedHeader") return found;
  if (found.size === undefined && found.path === undefined && found.linkpath === undefined) return undefined;
  throw malformed(label, "a global header renames or resizes what follows");
}

/** After the first zero block: a second one, and then nothing but zeros. */
async function requireEnd(input: ByteInput, label: string): Promise<void> {
  const second = await input.read(BLOCK);
  if (second.length < BLOCK) throw truncated(label, "its end mark is cut", BLOCK - second.length);
  let rest = second;
  for (let padding = 0; rest.length > 0; padding += rest.length) {
    if (padding > MAX_PADDING) throw malformed(label, "it does not end after its end mark");
    if (rest.some((byte) => byte !== 0)) throw malformed(label, "something follows its end mark");
    rest = await input.read(64 * 1024);
  }
}
