import { createHash } from "node:crypto";
import { lstat, open, readdir, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { BundleSource } from "../archive/bundle-source.ts";
import { swapFolder } from "../archive/folder-writer.ts";
import { FerryError, fromFileError, interrupted } from "../errors.ts";
import { digestFromHex, hexOf } from "../lib/digest.ts";
import { makeFolder, temporaryBeside, writeFileAtomic } from "../lib/files.ts";
import { lastPart } from "../lib/last-part.ts";
import { sumSizes } from "../lib/size.ts";
import { syncFolder } from "../lib/sync-folder.ts";
import { withProgress } from "../lib/with-progress.ts";
import type { Logger } from "../log.ts";
import { buildName } from "./build-name.ts";
import { damagedFiles } from "./bundle-faults.ts";
import type { BundleFile } from "./bundle-files.ts";
import { carriedBlobs } from "./carried-blobs.ts";
import type { BundleDocument, CarriedBuild, CarriedFile } from "./document.ts";
import type { PythonBuild } from "./document-python.ts";
import { flatLock } from "./folder-lock.ts";
import { FOLDER_MARK, installText } from "./folder-text.ts";
import { type BundleTrust, type OpenedBundle, openBundle } from "./open.ts";

/** Which build's folder is wanted. */
export interface FolderWish {
  engine: string;
  version: string;
  arch: string;
  /** undefined: the only one there is. */
  variant: string | undefined;
}

export interface FolderOptions {
  output: string;
  logger: Logger;
  signal: AbortSignal;
}

export interface ExportedFolder {
  folder: string;
  engine: string;
  version: string;
  arch: string;
  variant: string;
  /** Wheels, archives and the texts beside them. */
  files: number;
  /** Bytes of the carried files. */
  bytes: number;
  python: PythonBuild;
  /** Whether a trusted key vouched for it. */
  signed: boolean;
}

type PythonCarried = CarriedBuild & { python: PythonBuild };

/**
 * Writes everything that a Python engine is installed from into one folder: wheels side by side, `pylock.toml` that names
 * them by file name, uv's and the interpreter's archive, source and assets, and INSTALL.txt with the commands. Each file is
 * hashed while it is written. The folder is made beside `output` and renamed; an earlier one is replaced, anything else
 * refused. Throws what `openBundle` and `bundleFiles` throw, NO_BUILD, DIGEST_MISMATCH, FILE_UNWRITABLE, DISK_FULL.
 */
export async function exportFolder(
  source: BundleSource,
  trust: BundleTrust,
  wish: FolderWish,
  options: FolderOptions,
): Promise<ExportedFolder> {
  const final = resolve(options.output);
  await requireReplaceableFolder(final);
  const opened = await openBundle(source, trust);
  const build = findBuild(opened.document, wish);
  const files = filesOf(opened.document, build);
  const temporary = temporaryBeside(final);
  try {
    await makeFolder(temporary);
    await writeFiles(opened, files, temporary, options);
    const texts = await textsOf(opened, build, files, temporary);
    for (const [name, text] of Object.entries(texts)) await writeFileAtomic(join(temporary, name), text);
    await syncFolder(temporary);
    await swapFolder(temporary, final);
    const { engine, version, arch, variant, python } = build;
    const bytes = sumSizes(files);
    const count = files.length + Object.keys(texts).length - 1;
    const signed = opened.signedBy.length > 0;
    return { folder: options.output, engine, version, arch, variant, files: count, bytes, python, signed };
  } catch (error) {
    await rm(temporary, { force: true, recursive: true }).catch(() => undefined);
    throw fromFileError(error, "write", options.output, "FILE_UNWRITABLE");
  }
}

/** Throws NO_BUILD, saying what is there. */
export function findBuild({ builds }: BundleDocument, wish: FolderWish): PythonCarried {
  const { engine, version, arch, variant } = wish;
  const named = builds.filter((build) => build.engine === engine && build.version === version);
  const fitting = named.filter(
    (build) => build.arch === arch && (variant === undefined || build.variant === variant),
  );
  const [first] = fitting;
  const asked = [engine, version, arch, variant].filter((word) => word !== undefined).join(" ");
  const refuse = (message: string, hint: string): FerryError => new FerryError("NO_BUILD", message, { hint });
  if (first === undefined) {
    const there = [...new Set(builds.map(buildName))];
    throw refuse(`the bundle carries no ${asked}`, `It carries: ${there.join(", ") || "no builds"}.`);
  }
  if (fitting.length > 1) {
    const variants = fitting.map((one) => one.variant).join(", ");
    throw refuse(`the bundle carries several builds of ${asked}: ${variants}`, "Name one with --variant.");
  }
  const { python } = first;
  if (python === undefined) {
    throw refuse(
      `${asked} does not run in Python: it has no wheels to make a folder of`,
      "Its archives are files of the bundle; a mirror serves them, and its /install.sh installs them.",
    );
  }
  return { ...first, python };
}

/** All files of the build but the wheels' metadata, which is for indexes. */
function filesOf(document: BundleDocument, build: PythonCarried): CarriedFile[] {
  const byPath = new Map(document.files.map((file) => [file.path, file]));
  const wheels = new Set((document.python?.wheels ?? []).map(({ path }) => path));
  const { lock, uv, interpreter, source, assets } = build.python;
  const parts = [lock, uv, interpreter, ...(source === undefined ? [] : [source]), ...assets];
  const paths = new Set([...parts, ...build.files.filter((path) => wheels.has(path))]);
  const found: CarriedFile[] = [];
  const names = new Map<string, string>();
  for (const path of paths) {
    const file = byPath.get(path);
    const name = lastPart(path);
    const other = names.get(name);
    if (file === undefined || other !== undefined) {
      const why = file === undefined ? "is not among its files" : `and ${other} have the same name`;
      throw new FerryError("BUNDLE_MALFORMED", `the bundle cannot be put into one folder: ${path} ${why}`, {
        hint: "Install from a mirror of it instead.",
      });
    }
    names.set(name, path);
    found.push(file);
  }
  return found;
}

async function writeFiles(
  opened: OpenedBundle,
  files: readonly CarriedFile[],
  folder: string,
  { logger, signal, output }: FolderOptions,
): Promise<void> {
  const wanted = new Map(carriedBlobs(files).map((blob) => [blob.digest, blob]));
  const total = sumSizes([...wanted.values()]);
  await withProgress(logger, { id: "export", label: `export ${opened.label}`, total }, async (advance) => {
    for await (const file of opened.files()) {
      if (signal.aborted) throw interrupted(`writing ${output}`);
      const names = (wanted.get(file.blob.digest)?.paths ?? []).map(lastPart);
      if (names.length > 0) await writeBlob(opened.label, file, names, folder, advance);
    }
  });
}

async function writeBlob(
  label: string,
  { blob, entry }: BundleFile,
  names: readonly string[],
  folder: string,
  advance: (bytes: number) => void,
): Promise<void> {
  const hash = createHash("sha256");
  const handles = await Promise.all(names.map((name) => open(join(folder, name), "wx", 0o644)));
  try {
    for await (const chunk of entry.stream()) {
      hash.update(chunk);
      for (const handle of handles) await handle.writeFile(chunk);
      advance(chunk.length);
    }
    for (const handle of handles) {
      await handle.chmod(0o644);
      await handle.sync();
    }
  } finally {
    for (const handle of handles) await handle.close();
  }
  const found = digestFromHex(hash.digest("hex"));
  if (found !== blob.digest) throw damagedFiles(label, [{ blob, found }], 1);
}

/** The texts beside the files, by name; `pylock.toml` takes the carried lock's place. */
async function textsOf(
  { document, label }: OpenedBundle,
  build: PythonCarried,
  files: readonly CarriedFile[],
  folder: string,
): Promise<Record<string, string>> {
  const { lock } = build.python;
  const carried = await readFile(join(folder, lastPart(lock)), "utf8");
  const flat = flatLock(carried, files, lock);
  const sums = files
    .filter(({ path }) => path !== lock)
    .map((file) => [hexOf(file.digest), lastPart(file.path)]);
  const flatSum = createHash("sha256").update(flat).digest("hex");
  const lines = [...sums, [flatSum, "pylock.toml"]].map(([hex, name]) => `${hex}  ${name}\n`);
  return {
    "pylock.toml": flat,
    SHA256SUMS: lines.sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1)).join(""),
    "INSTALL.txt": installText(build, build.python, `bundle ${document.name}-${document.counter} (${label})`),
  };
}

/** A folder that is not there, empty, or an earlier one of ours. Throws FILE_UNWRITABLE. */
async function requireReplaceableFolder(target: string): Promise<void> {
  const found = await lstat(target).catch(() => undefined);
  if (found === undefined) return;
  const isOurs =
    found.isDirectory() &&
    ((await readdir(target)).length === 0 ||
      (await readFile(join(target, "INSTALL.txt"), "utf8").catch(() => "")).startsWith(`${FOLDER_MARK}\n`));
  if (isOurs) return;
  throw new FerryError("FILE_UNWRITABLE", `${target} exists and was not written by ferry export-folder`, {
    hint: "Name a folder that does not exist yet, or move that one away first.",
  });
}
