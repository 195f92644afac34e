import { FerryError } from "../errors.ts";
import { quoted } from "./layout-names.ts";

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
    const refuse: Refuse = (why) => unsafe(label, raw.path, why);
    count++;
    bytes += raw.size;
    if (count > limits.members) throw refuse(`it holds more than ${limits.members} members`);
    if (bytes > limits.bytes) throw refuse(`it unpacks to more than ${limits.bytes} bytes`);
    const kind = kindOf(raw, refuse);
    const path = stripped(cleanPath(raw.path, refuse), strip);
    if (path === undefined) {
      if (kind === "folder") return undefined;
      throw refuse(`it lies above the ${strip} leading folders that are taken off`);
    }
    requireFree(path, kind, seen, refuse);
    let target: string | undefined;
    if (kind === "symlink") target = symlinkTarget(raw.linkpath ?? "", path, refuse);
    else if (kind === "hardlink") target = hardlinkTarget(raw.linkpath ?? "", strip, seen, refuse);
    take(path, kind, seen);
    return { path, kind, mode: raw.mode & 0o777, size: raw.size, target };
  };
}

type Seen = Map<string, { path: string; kind: ArchiveMember["kind"] }>;
type Refuse = (why: string) => FerryError;

const KINDS = new Map<string, ArchiveMember["kind"]>([
  ["File", "file"],
  ["OldFile", "file"],
  ["ContiguousFile", "file"],
  ["Directory", "folder"],
  ["SymbolicLink", "symlink"],
  ["Link", "hardlink"],
]);

function kindOf(raw: RawMember, refuse: Refuse): ArchiveMember["kind"] {
  const kind = KINDS.get(raw.type);
  if (kind === undefined) throw refuse(`it is of type ${raw.type}`);
  // On folders these bits are an accident of where the archive was made, and are dropped.
  if ((raw.mode & 0o7000) !== 0 && kind !== "folder") {
    throw refuse("it has a set-user-id, set-group-id or sticky bit");
  }
  return kind;
}

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
function symlinkTarget(target: string, path: string, refuse: Refuse): string {
  const shown = quoted(target);
  if (target === "") throw refuse("it is a link to nothing");
  if (target.startsWith("/")) throw refuse(`it links to the absolute path ${shown}`);
  if (/[\\\0]/.test(target)) throw refuse(`it links to ${shown}, which holds a backslash or a zero`);
  const parts = target.split("/").filter((part) => part !== "" && part !== ".");
  const down = parts.findIndex((part) => part !== "..");
  if (down >= 0 && parts.includes("..", down)) {
    throw refuse(`it links to ${shown}, which goes down and up again`);
  }
  const ups = down < 0 ? parts.length : down;
  if (ups > path.split("/").length - 1) throw refuse(`it links out of the target, to ${shown}`);
  return target;
}

/** A hard link names a file of the archive itself, which must have come before it. */
function hardlinkTarget(target: string, strip: number, seen: Seen, refuse: Refuse): string {
  const path = stripped(
    cleanPath(target, (why) => refuse(`as a hard link to ${quoted(target)}: ${why}`)),
    strip,
  );
  const found = path === undefined ? undefined : seen.get(folded(path));
  if (path !== undefined && found?.kind === "file" && found.path === path) return path;
  throw refuse(`it is a hard link to ${quoted(target)}, which is no file before it`);
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
function requireFree(path: string, kind: ArchiveMember["kind"], seen: Seen, refuse: Refuse): void {
  for (const parent of parents(path)) {
    const above = seen.get(folded(parent));
    if (above !== undefined && above.kind !== "folder") {
      throw refuse(`it would be written through ${quoted(above.path)}`);
    }
  }
  const before = seen.get(folded(path));
  if (before === undefined || (kind === "folder" && before.kind === "folder")) return;
  const byCase = before.path !== path && before.path.toLowerCase() === path.toLowerCase();
  if (kind === "file" && before.kind === "file" && byCase) return;
  throw refuse(`it would take the place of ${quoted(before.path)}`);
}

/** Folders that a path implies count as if the archive had named them. */
function take(path: string, kind: ArchiveMember["kind"], seen: Seen): void {
  for (const parent of parents(path)) {
    if (!seen.has(folded(parent))) seen.set(folded(parent), { path: parent, kind: "folder" });
  }
  seen.set(folded(path), { path, kind });
}

function parents(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

export function unsafe(label: string, member: string, why: string): FerryError {
  return new FerryError("ARCHIVE_UNSAFE", `${label}: ${quoted(member)} is refused: ${why}`, {
    hint: "Nothing of this archive was written. It is not what an engine publishes: look where it came from.",
    details: { archive: label, member },
  });
}
