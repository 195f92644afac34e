import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { BundleSource } from "../../src/archive/bundle-source.ts";
import { openBundleSource } from "../../src/archive/open-source.ts";
import type { HashPool } from "../../src/lib/hash-pool.ts";
import { tmpDir } from "./tmp.ts";

/** The two ways in which the bytes of a tar reach us: as a file, and as a stream in pieces of an odd size. */
export async function bothInputs(tar: Buffer, pool: HashPool): Promise<BundleSource[]> {
  const path = join(await tmpDir(), "bundle.tar");
  await writeFile(path, tar);
  const pieces = Array.from({ length: Math.ceil(tar.length / 700) }, (_, i) =>
    tar.subarray(i * 700, i * 700 + 700),
  );
  return [
    await openBundleSource(path, pool),
    await openBundleSource(Readable.from(pieces, { objectMode: false }), pool),
  ];
}

/** Reads a source to its end: every name with its content. */
export async function readAll(source: BundleSource): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  try {
    for await (const entry of source.entries()) found[entry.name] = (await entry.bytes()).toString("latin1");
  } finally {
    await source.close();
  }
  return found;
}
