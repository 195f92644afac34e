import { createReadStream } from "node:fs";
import { chmod, mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { Parser, type ReadEntry, Unpack } from "tar";
import { FerryError, fromFileError, interrupted } from "../errors.ts";
import { temporaryBeside } from "../lib/files.ts";
import { ARCHIVE_LIMITS, type ArchiveLimits, type ArchiveMember, createArchiveJudge, type RawMember } from "./untar-plan.ts";

export interface UntarOptions {
  /** Leading parts to take off every path, as `tar --strip-components`; 0 by default. */
  strip?: number;
  signal?: AbortSignal;
  limits?: ArchiveLimits;
}

const STEP = 1024 * 1024;

/**
 * Lists an engine's archive (tar, plain or gzip-compressed), judging every member. Writes nothing.
 * Throws ARCHIVE_UNSAFE naming the first member that may not be extracted, or saying why it cannot be read.
 */
export async function listSafe(archive: string, options: UntarOptions = {}): Promise<ArchiveMember[]> {
  const judge = createArchiveJudge(archive, options.strip ?? 0, options.limits ?? ARCHIVE_LIMITS);
  const members: ArchiveMember[] = [];
  const parser = new Parser({ strict: true });
  await read(archive, parser, options.signal, (entry) => {
    const member = judge(rawMember(entry));
    if (member !== undefined) members.push(member);
    entry.resume();
  });
  return members;
}

/**
 * Extracts an archive into a folder that is absent or empty. Everything is judged before anything is written; then it is
 * unpacked beside the folder and renamed. Permission bits are set as in the archive, whatever the umask; owners are not.
 * Throws as `listSafe`, and DISK_FULL, FILE_UNWRITABLE, INTERRUPTED.
 */
export async function extractSafe(archive: string, into: string, options: UntarOptions = {}): Promise<ArchiveMember[]> {
  const members = await listSafe(archive, options);
  const target = resolve(into);
  const temporary = temporaryBeside(target);
  try {
    await requireEmpty(target);
    await mkdir(temporary, { recursive: true });
    await unpack(archive, temporary, options);
    await setModes(temporary, members);
    await rmdir(target).catch(() => undefined);
    await mkdir(dirname(target), { recursive: true });
    await rename(temporary, target);
    return members;
  } catch (error) {
    await rm(temporary, { force: true, recursive: true });
    throw fromFileError(error, "extract into", into, "FILE_UNWRITABLE");
  }
}

async function unpack(archive: string, cwd: string, options: UntarOptions): Promise<void> {
  const strip = options.strip ?? 0;
  // Judged again: the file may have changed since it was listed.
  const judge = createArchiveJudge(archive, strip, options.limits ?? ARCHIVE_LIMITS);
  let refused: unknown;
  const unpacker = new Unpack({
    cwd,
    strip,
    strict: true,
    preserveOwner: false,
    noMtime: true,
    filter: (_path, entry) => {
      if (refused !== undefined) return false;
      try {
        return judge(rawMember(entry as ReadEntry)) !== undefined;
      } catch (error) {
        refused = error;
        return false;
      }
    },
  });
  await read(archive, unpacker, options.signal, () => undefined);
  if (refused !== undefined) throw refused as Error;
}

/** Feeds the archive to a parser, and waits until it is done with it. */
async function read(
  archive: string,
  parser: Parser,
  signal: AbortSignal | undefined,
  onEntry: (entry: ReadEntry) => void,
): Promise<void> {
  const file = createReadStream(archive, { highWaterMark: STEP });
  const ended = new Promise<void>((done, fail) => {
    parser.on("end", done);
    parser.on("error", fail);
    parser.on("entry", (entry: ReadEntry) => {
      try {
        onEntry(entry);
      } catch (error) {
        fail(error as Error);
        file.destroy();
      }
    });
  });
  ended.catch(() => undefined);
  const feed = async (): Promise<void> => {
    for await (const chunk of file) {
      if (signal?.aborted === true) throw interrupted(`reading ${archive}`);
      if (!parser.write(chunk as Buffer)) {
        await Promise.race([ended, new Promise<void>((resume) => parser.once("drain", resume))]);
      }
    }
    parser.end();
  };
  try {
    await Promise.race([feed().then(() => ended), ended]);
  } catch (error) {
    file.destroy();
    throw readFault(error, archive);
  }
}

function readFault(error: unknown, archive: string): FerryError {
  if (error instanceof FerryError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code.startsWith("E") && !code.startsWith("ERR")) return fromFileError(error, "read", archive, "FILE_UNREADABLE");
  return new FerryError("ARCHIVE_UNSAFE", `${archive} cannot be read as a tar: ${String(error)}`, {
    cause: error,
    hint: "It is damaged, cut, or another kind of file. Nothing was written; fetch it again.",
  });
}

function rawMember(entry: ReadEntry): RawMember {
  return {
    path: entry.path,
    type: entry.type,
    // The whole of the header's bits: the parser itself keeps the permission bits alone.
    mode: entry.header.mode ?? 0,
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

/** The unpacker's modes went through the umask. Folders last and deepest first: one may forbid what is still to do in it. */
async function setModes(root: string, members: readonly ArchiveMember[]): Promise<void> {
  for (const { path, kind, mode } of members) if (kind === "file") await chmod(join(root, path), mode);
  const folders = members.filter(({ kind }) => kind === "folder").sort((a, b) => b.path.length - a.path.length);
  for (const { path, mode } of folders) await chmod(join(root, path), mode | 0o700);
}
