import { posix } from "node:path";
import { FerryError } from "../errors.ts";
import { printable } from "./layout-names.ts";

/** A member of an engine's archive as its header has it. */
export interface ArchiveMember {
  /** As in the archive, without a leading `./` and without a slash at the end. */
  path: string;
  kind: "file" | "folder" | "symlink" | "hardlink";
  /** Permission bits, 0 to 0o777. */
  mode: number;
  size: number;
  /** A symlink's target as written; a hard link's as a path of the archive. */
  target: string | undefined;
}

export interface RawMember {
  path: string;
  type: string;
  mode: number;
  size: number;
  linkpath: string | undefined;
}

export interface ArchiveLimits {
  /** Most members. */
  members: number;
  /** Most bytes of all files together, unpacked. */
  bytes: number;
}

/** The largest archive of an engine is a CUDA build with some hundred files and some GB; far above that is a bomb. */
export const ARCHIVE_LIMITS: ArchiveLimits = { members: 200_000, bytes: 64 * 1024 ** 3 };

/**
 * Judges members one after the other, and throws ARCHIVE_UNSAFE at the first that could write outside the target, write
 * through a link, or leave something that is no plain file. `strip` leading parts are taken off every path, as tar does;
 * what vanishes by that is left out.
 */
export function createArchiveJudge(
  label: string,
  strip: number,
  limits: ArchiveLimits,
): (raw: RawMember) => ArchiveMember | undefined {
  const seen = new Map<string, { path: string; kind: ArchiveMember["kind"] }>();
  let count = 0;
  let bytes = 0;
  return (raw) => {
    const refuse = (why: string): FerryError => unsafe(label, raw.path, why);
    count++;
    bytes += raw.size;
    if (count > limits.members) throw refuse(`it holds more than ${limits.members} members`);
    if (bytes > limits.bytes) throw refuse(`it unpacks to more than ${limits.bytes} bytes`);
    const kind = KINDS.get(raw.type);
    if (kind === undefined) throw refuse(`it is of type ${raw.type}`);
    if ((raw.mode & 0o7000) !== 0) throw refuse("it has a set-user-id, set-group-id or sticky bit");
    const whole = cleanPath(raw.path, refuse);
    const path = stripped(whole, strip);
    const target = linkTarget(kind, raw.linkpath, path ?? "", strip, refuse);
    if (path === undefined) {
      if (kind === "folder") return undefined;
      throw refuse(`it lies above the ${strip} leading folders that are taken off`);
    }
    requireFree(path, kind, seen, refuse);
    if (kind === "hardlink" && seen.get(folded(target ?? ""))?.kind !== "file") {
      throw refuse(`it is a hard link to ${printable(target ?? "")}, which is no file before it`);
    }
    seen.set(folded(path), { path, kind });
    return { path, kind, mode: raw.mode & 0o777, size: raw.size, target };
  };
}

const KINDS = new Map<string, ArchiveMember["kind"]>([
  ["File", "file"],
  ["OldFile", "file"],
  ["ContiguousFile", "file"],
  ["Directory", "folder"],
  ["SymbolicLink", "symlink"],
  ["Link", "hardlink"],
]);

type Refuse = (why: string) => FerryError;

function cleanPath(path: string, refuse: Refuse): string {
  if (path.startsWith("/")) throw refuse("its path is absolute");
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f\\]/.test(path)) throw refuse("its path holds a backslash or a control character");
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw refuse("its path leads out of the target");
  return parts.join("/");
}

function stripped(path: string, strip: number): string | undefined {
  const parts = path.split("/").slice(strip);
  return parts.length === 0 || parts[0] === "" ? undefined : parts.join("/");
}

/**
 * A symlink may go up only at its beginning: a `..` behind a name could climb from wherever that name links to. So every
 * link leads inside the target by its letters alone, and so does every chain of them.
 */
function linkTarget(
  kind: ArchiveMember["kind"],
  raw: string | undefined,
  path: string,
  strip: number,
  refuse: Refuse,
): string | undefined {
  if (kind !== "symlink" && kind !== "hardlink") return undefined;
  const target = raw ?? "";
  if (target === "") throw refuse("it is a link to nothing");
  if (target.startsWith("/")) throw refuse(`it links to the absolute path ${printable(target)}`);
  if (kind === "hardlink") {
    return stripped(cleanPath(target, (why) => refuse(`as a hard link: ${why}`)), strip) ?? "";
  }
  if (/[^./][^/]*\/(.*\/)?\.\.(\/|$)/.test(target) || target.includes("\\") || target.includes("\0")) {
    throw refuse(`it links to ${printable(target)}, which goes down and up again`);
  }
  const resolved = posix.normalize(posix.join(posix.dirname(path), target));
  if (resolved === ".." || resolved.startsWith("../")) throw refuse(`it links out of the target, to ${printable(target)}`);
  return target;
}

/** One spelling for all that some file system takes for the same name. */
function folded(path: string): string {
  return path.normalize("NFKC").toLowerCase();
}

/**
 * A path may come once (folders more often), and nothing may lie below a link. Spellings that differ by case alone are
 * good for files and folders, which Unix archives hold (terminfo does); with a link among them, or another Unicode form,
 * they are a trick.
 */
function requireFree(
  path: string,
  kind: ArchiveMember["kind"],
  seen: ReadonlyMap<string, { path: string; kind: ArchiveMember["kind"] }>,
  refuse: Refuse,
): void {
  const key = folded(path);
  const parts = key.split("/");
  for (let length = 1; length < parts.length; length++) {
    const above = seen.get(parts.slice(0, length).join("/"));
    if (above !== undefined && above.kind !== "folder") throw refuse(`it would be written through ${printable(above.path)}`);
  }
  const before = seen.get(key);
  if (before === undefined || (kind === "folder" && before.kind === "folder")) return;
  const plain = kind === "file" && before.kind === "file";
  const byCase = before.path !== path && before.path.toLowerCase() === path.toLowerCase();
  if (!plain || !byCase) throw refuse(`it would take the place of ${printable(before.path)}`);
}

export function unsafe(label: string, member: string, why: string): FerryError {
  return new FerryError("ARCHIVE_UNSAFE", `${label}: ${printable(member)} is refused: ${why}`, {
    hint: "Nothing of this archive was written. It is not what an engine publishes: look where it came from.",
    details: { archive: label, member },
  });
}
