import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fromFileError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Digest } from "../lib/digest.ts";
import { sumSizes } from "../lib/size.ts";
import { isAbsent } from "./blob-reader.ts";
import { importMarks } from "./import-mark.ts";
import type { LayoutStore } from "./layout-store.ts";
import { reachable } from "./reachable.ts";

export interface GarbageOptions {
  clock: Clock;
  /** Say what would go, and remove nothing. */
  dryRun: boolean;
  /** Nothing younger than this goes, milliseconds: somebody may be about to name it. */
  graceMs: number;
}

export interface GarbageReport {
  /** Blobs that nothing names, sorted by digest; removed unless it was a dry run. */
  blobs: { digest: Digest; size: number }[];
  /** Paths of unfinished writes and downloads that nobody went on with. */
  unfinished: { path: string; size: number }[];
  /** Bytes of both together. */
  bytes: number;
  kept: { named: number; young: number; importing: number };
  /** Imports that are running or were never finished, whose blobs were kept. */
  imports: string[];
}

/**
 * Removes what no bundle of the index names, no import needs, and nobody wrote lately. The index is locked meanwhile.
 * A blob that is being served stays readable to those who have it open.
 * Throws STORE_DAMAGED, and removes nothing, where it cannot tell what is named; STORE_BUSY.
 */
export async function collectGarbage(store: LayoutStore, options: GarbageOptions): Promise<GarbageReport> {
  const lock = await store.lock("index", "garbage collection", 30_000);
  try {
    const named = await reachable(await store.readIndex(), (digest) => store.readSmall(digest));
    const marks = await importMarks(store);
    const importing = new Set(marks.flatMap((mark) => mark.digests));
    const before = options.clock.now() - options.graceMs;
    const report: GarbageReport = {
      blobs: [],
      unfinished: await unfinishedFiles([store.folders.blobs, store.folders.partial], before),
      bytes: 0,
      kept: { named: 0, young: 0, importing: 0 },
      imports: [...new Set(marks.map((mark) => mark.what))],
    };
    for await (const blob of store.list()) {
      if (named.has(blob.digest)) report.kept.named++;
      else if (importing.has(blob.digest)) report.kept.importing++;
      else if (((await lastWritten(store.pathOf(blob.digest))) ?? Infinity) > before) report.kept.young++;
      else report.blobs.push(blob);
    }
    report.blobs.sort((a, b) => (a.digest < b.digest ? -1 : 1));
    report.bytes = sumSizes([...report.blobs, ...report.unfinished]);
    if (!options.dryRun) await sweep(store, report);
    return report;
  } finally {
    await lock.release();
  }
}

async function sweep(store: LayoutStore, report: GarbageReport): Promise<void> {
  for (const { digest } of report.blobs) await store.delete(digest);
  for (const { path } of report.unfinished) {
    try {
      await rm(path, { force: true });
    } catch (error) {
      throw fromFileError(error, "remove", path, "FILE_UNWRITABLE");
    }
  }
}

/** Our own temporary files between the blobs, and partial downloads; a stranger's file is not ours to remove. */
async function unfinishedFiles(folders: string[], before: number): Promise<{ path: string; size: number }[]> {
  const found: { path: string; size: number }[] = [];
  const [blobs] = folders;
  for (const folder of folders) {
    for (const name of (await readdir(folder)).sort()) {
      if (folder === blobs && !/^\.[0-9a-f]{64}\.[0-9a-f]{12}\.tmp$/.test(name)) continue;
      const path = join(folder, name);
      const stats = await stat(path).catch(() => undefined);
      if (stats?.isFile() === true && stats.mtimeMs <= before) found.push({ path, size: stats.size });
    }
  }
  return found;
}

/** Renaming sets the change time, which also counts: an adopted download may carry an old modification time. */
async function lastWritten(path: string): Promise<number | undefined> {
  try {
    const stats = await stat(path);
    return Math.max(stats.mtimeMs, stats.ctimeMs);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw fromFileError(error, "look at", path, "FILE_UNREADABLE");
  }
}
