import { parse, TomlDate } from "smol-toml";
import { z } from "zod";
import { lastPart } from "../lib/last-part.ts";

/**
 * The lock of PEP 751, `pylock.toml`: the fields that uv 0.12 and 0.13 write and that pip and uv install from.
 * Reading and writing are pure; the mirror uses both.
 */
export interface Pylock {
  requiresPython: string | undefined;
  packages: PylockPackage[];
}

export interface PylockPackage {
  name: string;
  /** Absent of what a URL alone leads to, where uv does not know it. */
  version: string | undefined;
  marker: string | undefined;
  wheels: PylockFile[];
  sdist: PylockFile | undefined;
  /** What the requirement named by its URL: a wheel or a source archive. */
  archive: PylockFile | undefined;
}

export interface PylockFile {
  /** File name, decoded; taken from the address where the lock does not say it. */
  name: string;
  url: string | undefined;
  path: string | undefined;
  /** ISO 8601 in UTC, at most milliseconds. */
  uploadTime: string | undefined;
  size: number | undefined;
  /** By algorithm, in lower-case hexadecimal digits. */
  hashes: Record<string, string>;
}

const FileTable = z.object({
  name: z.string().optional(),
  url: z.string().optional(),
  path: z.string().optional(),
  "upload-time": z.instanceof(TomlDate).optional(),
  size: z.int().nonnegative().optional(),
  hashes: z.record(z.string(), z.string()).default({}),
});

const Document = z.object({
  "lock-version": z.string().regex(/^1\./, "must be 1.0"),
  "requires-python": z.string().optional(),
  packages: z
    .array(
      z.object({
        name: z.string(),
        version: z.string().optional(),
        marker: z.string().optional(),
        wheels: z.array(FileTable).default([]),
        sdist: FileTable.optional(),
        archive: FileTable.optional(),
      }),
    )
    .default([]),
});

/** Reads a lock. Throws what the TOML reader or zod throws; the caller knows whose lock it is. */
export function parsePylock(text: string): Pylock {
  const document = Document.parse(parse(text));
  return {
    requiresPython: document["requires-python"],
    packages: document.packages.map((entry) => ({
      name: entry.name,
      version: entry.version,
      marker: entry.marker,
      wheels: entry.wheels.map(fileOf),
      sdist: entry.sdist === undefined ? undefined : fileOf(entry.sdist),
      archive: entry.archive === undefined ? undefined : fileOf(entry.archive),
    })),
  };
}

/** Every file that a lock names, in its order. */
export function filesOf(lock: Pylock): PylockFile[] {
  return lock.packages.flatMap(({ wheels, sdist, archive }) => [
    ...wheels,
    ...(sdist === undefined ? [] : [sdist]),
    ...(archive === undefined ? [] : [archive]),
  ]);
}

/** The same lock with each file as `change` gives it. */
export function mapFiles(lock: Pylock, change: (file: PylockFile) => PylockFile): Pylock {
  return {
    ...lock,
    packages: lock.packages.map((one) => ({
      ...one,
      wheels: one.wheels.map(change),
      sdist: one.sdist === undefined ? undefined : change(one.sdist),
      archive: one.archive === undefined ? undefined : change(one.archive),
    })),
  };
}

function fileOf(table: z.infer<typeof FileTable>): PylockFile {
  const { url, path, size, hashes } = table;
  const time = table["upload-time"];
  return {
    name: table.name ?? fileName(url ?? path ?? "", url !== undefined),
    url,
    path,
    uploadTime: time === undefined ? undefined : instantOf(time),
    size,
    hashes,
  };
}

function fileName(address: string, encoded: boolean): string {
  const bare = encoded ? (address.split(/[?#]/)[0] ?? "") : address;
  const part = lastPart(bare);
  if (!encoded) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** `2026-10-08T21:58:07Z`, or with `.123` where there are milliseconds. */
export function instantOf(time: Date): string {
  // A TomlDate writes itself in the zone that it was read in; a plain one always in UTC.
  return new Date(time.getTime()).toISOString().replace(".000Z", "Z");
}
