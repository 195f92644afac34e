import { createReadStream, fstatSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { FerryError, fromFileError } from "../errors.ts";
import type { HashPool } from "../lib/hash-pool.ts";
import type { BundleSource } from "./bundle-source.ts";
import { openLayoutFolder } from "./folder-source.ts";
import { openTarStream } from "./stream-source.ts";
import { openTarFile } from "./tar-file-source.ts";

const STEP = 1024 * 1024;

/**
 * Opens a bundle: the path of a tar file, of a layout's folder, or of a pipe; or a stream, which errors call
 * `standard input`. Reads nothing of it yet. Throws FILE_UNREADABLE naming the path.
 */
export async function openBundleSource(input: string | Readable, pool: HashPool): Promise<BundleSource> {
  if (typeof input !== "string") return openTarStream(largeSteps(input), "standard input");
  const found = await stat(input).catch((error: unknown) => {
    throw fromFileError(error, "open", input, "FILE_UNREADABLE");
  });
  if (found.isDirectory()) return openLayoutFolder(input, pool);
  if (found.isFile()) return openTarFile(input, pool);
  if (found.isFIFO()) return openTarStream(createReadStream(input, { highWaterMark: STEP }), input);
  throw new FerryError("FILE_UNREADABLE", `${input} is neither a file nor a folder`, {
    hint: "Give the bundle's path, or - to read it from standard input.",
  });
}

/**
 * Standard input that is a file (`< bundle.tar`) is read in large steps. A pipe stays as it is: its own stream can be given
 * up at any time, while a blocked read of a file descriptor would hold up the process's end.
 */
function largeSteps(stream: Readable & { fd?: unknown }): Readable {
  if (stream.fd !== 0 || !fstatSync(0).isFile()) return stream;
  return createReadStream("", { fd: 0, autoClose: false, highWaterMark: STEP });
}
