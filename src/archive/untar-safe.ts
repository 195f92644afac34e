import { createReadStream } from "node:fs";
import { chmod, readdir, rename, rm, rmdir, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Parser, type ReadEntry, Unpack } from "tar";
import { FerryError, fromFileError, interrupted } from "../errors.ts";
import { makeFolder, temporaryBeside } from "../lib/files.ts";
import {
  ARCHIVE_LIMITS,
  type ArchiveLimits,
  type ArchiveMember,
  createArchiveJudge,
  type RawMember,
} from "./untar-plan.ts";

export interface UntarOptions {
  /** Leading parts to take off every path, as `tar --strip-components`; 0 by default. */
  strip?: number;
  signal?: AbortSignal;
  limits?: ArchiveLimits;
}

/** Not larger: one step of a bomb unpacks to a thousand times this in memory before anything can look at it. */
const STEP = 64 * 1024;

/**
 * Lists an engine's archive (tar, plain or gzip-compressed), judging every member. Writes nothing.
 * Throws ARCHIVE_UNSAFE naming the first member that may not be extracted, or saying why it cannot be read.
 */
export async function listSafe(archive: string, options: UntarOptions = {}): Promise<ArchiveMember[]> {
  const judge = createArchiveJudge(archive, options.strip ?? 0, options.limits ?? ARCHIVE_LIMITS);
  const members: ArchiveMember[] = [];
  const parser = new Parser({ strict: true });
  let refused: unknown;
  const guard = (entry: ReadEntry): void => {
    try {
      if (refused !== undefined) return;
      const member = judge(rawMember(entry));
      if (member !== undefined) members.push(member);
    } catch (error) {
      refused = error;
    }
  };
  parser.on("entry", (entry: ReadEntry) => {
    guard(entry);
    entry.resume();
  });
  // Kinds that the parser passes over without a word are still part of what somebody wants us to unpack.
  parser.on("ignoredEntry", guard);
  await feed(archive, parser, "read", options.signal, () => refused);
  return members;
}

/**
 * Extracts an archive into a folder that is absent or empty. Everything is judged before anything is written; then it is
 * unpacked beside the folder and renamed. Permission bits are set as in the archive, whatever the umask; owners are not.
 * Throws as `listSafe`, and DISK_FULL, FILE_UNWRITABLE, INTERRUPTED.
 */
export async function extractSafe(
  archive: string,
  into: string,
  options: UntarOptions = {},
): Promise<ArchiveMember[]> {
  const members = await listSafe(archive, options);
  const target = resolve(into);
  const temporary = temporaryBeside(target);
  try {
    await requireEmpty(target);
    await makeFolder(temporary);
    await unpack(archive, temporary, options);
    await setModes(temporary, members);
    await makeSymlinks(temporary, members);
    await rmdir(target).catch(() => undefined);
    await makeFolder(dirname(target));
    await rename(temporary, target);
    return members;
  } catch (error) {
    await rm(temporary, { force: true, recursive: true, maxRetries: 3 }).catch(() => undefined);
    throw fromFileError(error, "extract into", into, "FILE_UNWRITABLE");
  }
}

async function unpack(archive: string, cwd: string, options: UntarOptions): Promise<void> {
  // Judged again: the file may have changed since it was listed.
  const judge = createArchiveJudge(archive, options.strip ?? 0, options.limits ?? ARCHIVE_LIMITS);
  let refused: unknown;
  const filter = (_path: string, found: unknown): boolean => {
    if (refused !== undefined) return false;
    const entry = found as ReadEntry;
    try {
      const member = judge(rawMember(entry));
      if (member === undefined || member.kind === "symlink") return false;
      // What was judged is what is written: the same stripped path, not one that is worked out a second time.
      entry.path = member.path;
      if (member.kind === "hardlink" && member.target !== undefined) entry.linkpath = member.target;
      return true;
    } catch (error) {
      refused = error;
      return false;
    }
  };
  const unpacker = new Unpack({ cwd, strict: true, preserveOwner: false, noMtime: true, filter });
  await feed(archive, unpacker, "extract", options.signal, () => refused);
}

/** Reads the archive into a parser until both are done, or `refused` says why to stop. */
export async function feed(
  archive: string,
  parser: Parser,
  action: string,
  signal: AbortSignal | undefined,
  refused: () => unknown,
): Promise<void> {
  const closed = new Promise<void>((done, fail) => {
    parser.on("close", done);
    parser.on("error", fail);
  });
  closed.catch(() => undefined);
  const file = createReadStream(archive, { highWaterMark: STEP });
  const push = async (): Promise<void> => {
    for await (const chunk of file) {
      if (signal?.aborted === true) {
        throw interrupted(`${action === "read" ? "reading" : "extracting"} ${archive}`);
      }
      const ready = parser.write(chunk as Buffer);
      if (refused() !== undefined) break;
      if (!ready) await new Promise<void>((resume) => parser.once("drain", resume));
    }
    if (refused() === undefined) parser.end();
  };
  try {
    await Promise.race([push().then(() => (refused() === undefined ? closed : undefined)), closed]);
  } catch (error) {
    throw feedFault(error, archive, action);
  } finally {
    file.destroy();
  }
  if (refused() !== undefined) throw refused() as Error;
}

function feedFault(error: unknown, archive: string, action: string): FerryError {
  if (error instanceof FerryError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code.startsWith("E") && !code.startsWith("ERR")) {
    return fromFileError(error, action, archive, "FILE_UNREADABLE");
  }
  return new FerryError("ARCHIVE_UNSAFE", `${archive} cannot be read as a tar: ${String(error)}`, {
    cause: error,
    hint: "It is damaged, cut, or another kind of file. Nothing was written; fetch it again.",
  });
}

function rawMember(entry: ReadEntry): RawMember {
  return {
    path: entry.path,
    type: entry.type,
    mode: entry.mode ?? 0,
    size: entry.size,
    linkpath: entry.linkpath,
  };
}

async function requireEmpty(target: string): Promise<void> {
  const names = await readdir(target).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  });
  if (names.length === 0) return;
  throw new FerryError("FILE_UNWRITABLE", `${target} is not empty`, {
    hint: "Extract into a folder that is empty or does not exist yet.",
  });
}

/**
 * Links come last, so that nothing is ever written while there is one. The unpacker would make them as they come, and
 * refuses a link to a link, of which every `lib*.so` chain has one.
 */
async function makeSymlinks(root: string, members: readonly ArchiveMember[]): Promise<void> {
  for (const { path, target } of members.filter(({ kind }) => kind === "symlink")) {
    await makeFolder(dirname(join(root, path)));
    await symlink(target ?? "", join(root, path));
  }
}

/** The unpacker's modes went through the umask. Folders last and deepest first: one may forbid what is still to do in it. */
async function setModes(root: string, members: readonly ArchiveMember[]): Promise<void> {
  for (const { path, kind, mode } of members) if (kind === "file") await chmod(join(root, path), mode);
  const folders = members
    .filter(({ kind }) => kind === "folder")
    .sort((a, b) => b.path.length - a.path.length);
  for (const { path, mode } of folders) await chmod(join(root, path), mode | 0o700);
}
