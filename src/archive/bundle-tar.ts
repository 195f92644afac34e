import type { Stats } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { TarArchive } from "archiver";
import { FerryError, fromFileError, interrupted } from "../errors.ts";
import { temporaryBeside } from "../lib/files.ts";
import { syncFolder } from "../lib/sync-folder.ts";
import { type BufferRing, createBufferRing, freshBuffers } from "./buffer-ring.ts";
import { entryStream } from "./entry-stream.ts";
import { fileSink } from "./file-sink.ts";
import type { LayoutEntry } from "./layout-entry.ts";

export interface TarOptions {
  /** Modification time of every entry: whole seconds, 1970 to 2038, which is what the format holds without extensions. */
  mtime: Date;
  signal?: AbortSignal;
  /** Told of every piece written, in bytes. */
  onBytes?: (bytes: number) => void;
}

type Entries = AsyncIterable<LayoutEntry> | Iterable<LayoutEntry>;

/** archiver as it comes moves 64 KiB at a time and takes twice as long as tar; in 1 MiB steps it is as fast. */
const STEP = 1024 * 1024;
const LAST_SECOND = 2 ** 31 - 1;

/**
 * Writes a reproducible plain tar: entries in the given order, mode 0644, owner 0:0 without names, one time for all. The
 * same entries give the same bytes on every machine. Sizes of 8 GiB and more are written in base 256, as GNU tar, bsdtar,
 * busybox, Python and Go read it.
 *
 * A path is written beside itself, flushed, and renamed: under its name there is the whole archive or what was there
 * before. Returns the bytes written. Throws DISK_FULL, FILE_UNWRITABLE, FILE_UNREADABLE, STORE_DAMAGED (a content of
 * another size than announced), INTERRUPTED.
 */
export async function writeTar(
  output: string | Writable,
  entries: Entries,
  options: TarOptions,
): Promise<number> {
  requireTime(options.mtime);
  if (typeof output === "string") return writeTarFile(output, entries, options);
  try {
    return await pack(output, entries, options, freshBuffers(STEP));
  } catch (error) {
    throw fromFileError(error, "write", "the bundle to a stream", "FILE_UNWRITABLE");
  }
}

async function writeTarFile(output: string, entries: Entries, options: TarOptions): Promise<number> {
  const temporary = temporaryBeside(output);
  try {
    await requireReplaceable(output);
    const ring = createBufferRing(STEP);
    const handle = await open(temporary, "wx", 0o644);
    let bytes: number;
    try {
      await handle.chmod(0o644);
      const sink = fileSink(handle, STEP, (chunk) => {
        ring.written(chunk);
      });
      bytes = await pack(sink, entries, options, ring);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, output);
    await syncFolder(dirname(output));
    return bytes;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw fromFileError(error, "write", output, "FILE_UNWRITABLE");
  }
}

/** Renaming onto a device such as /dev/null would take its place. */
async function requireReplaceable(output: string): Promise<void> {
  const found = await stat(output).catch(() => undefined);
  if (found === undefined || found.isFile()) return;
  throw new FerryError("FILE_UNWRITABLE", `${output} exists and is no regular file`, {
    hint: "Name a file with -o, or a folder with a slash at its end.",
  });
}

function requireTime(mtime: Date): void {
  const seconds = mtime.getTime() / 1000;
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= LAST_SECOND) return;
  throw new FerryError("USAGE", `a tar cannot hold the time ${String(seconds)}`, {
    hint: "Set SOURCE_DATE_EPOCH to whole seconds between 0 and 2147483647.",
  });
}

/**
 * Runs archiver. It cannot be stopped: destroyed in the middle, it throws from within where nobody can catch it. So on
 * failure it is left standing, cut off from what it reads and writes, and nothing else holds it.
 */
async function pack(
  sink: Writable,
  entries: Entries,
  options: TarOptions,
  ring: BufferRing,
): Promise<number> {
  const archive = new TarArchive({ highWaterMark: STEP });
  const written = finished(sink, { readable: false });
  // archiver never says that an entry will not come any more, so every wait for one is also a wait for a failure.
  let stop = (): void => undefined;
  const failed = new Promise<never>((_, reject) => {
    archive.on("error", reject);
    written.catch(reject);
    stop = () => {
      reject(interrupted("writing the bundle"));
    };
  });
  options.signal?.addEventListener("abort", stop);
  if (options.signal?.aborted === true) stop();
  failed.catch(() => undefined);
  archive.pipe(sink);
  let source: Source | undefined;
  try {
    for await (const entry of entries) {
      source = await openSource(entry, ring, options);
      await Promise.race([failed, append(archive, entry.name, source, options.mtime)]);
    }
    await Promise.race([failed, archive.finalize()]);
    await Promise.race([failed, written]);
    return archive.pointer();
  } catch (error) {
    archive.unpipe(sink);
    if (source !== undefined && "stream" in source) source.stream.destroy();
    sink.destroy();
    throw error;
  } finally {
    options.signal?.removeEventListener("abort", stop);
  }
}

type Source = { bytes: Buffer } | { stream: Readable; stats: Stats };

async function openSource(entry: LayoutEntry, ring: BufferRing, { onBytes }: TarOptions): Promise<Source> {
  const { name, content, size } = entry;
  if (typeof content !== "string") return { bytes: Buffer.from(content) };
  const counting: BufferRing = {
    ...ring,
    carry: (buffer, bytes) => {
      onBytes?.(bytes);
      return ring.carry(buffer, bytes);
    },
  };
  return entryStream({ name, size, path: content }, counting);
}

function append(archive: TarArchive, name: string, source: Source, date: Date): Promise<void> {
  return new Promise((resolve, reject) => {
    archive.once("entry", () => {
      resolve();
    });
    const data = { name, date, mode: 0o644 };
    if ("bytes" in source) {
      archive.append(source.bytes, data);
    } else {
      source.stream.once("error", reject);
      // Of the file's facts only the size gets into the archive, and only with it are files streamed instead of gathered.
      archive.append(source.stream, { ...data, stats: source.stats });
    }
  });
}
