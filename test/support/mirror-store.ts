import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BundleDocument, CarriedFile } from "../../src/bundle/document.ts";
import { type ImportOptions, importBundle } from "../../src/bundle/import.ts";
import type { ImportReport } from "../../src/bundle/import-report.ts";
import { renderBundle } from "../../src/bundle/manifest.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { silentLogger } from "../../src/log.ts";
import { type LayoutStore, openLayoutStore } from "../../src/store/layout-store.ts";
import { type MemoryFile, memorySource } from "./memory-source.ts";
import { bundleFilesOf, type LoadedPair, newPair, sampleDocument } from "./sample-bundle.ts";
import { tmpDir } from "./tmp.ts";

/** The key that the tests' bundles are signed with, unless they say otherwise. */
export const builderKey: LoadedPair = newPair();

export async function emptyStore(): Promise<LayoutStore> {
  return openLayoutStore(join(await tmpDir(), "store"));
}

/** A sound document that carries these contents, by mirror path, and nothing else. */
export function documentOf(
  name: string,
  counter: number,
  contents: Readonly<Record<string, string>>,
  changes: Partial<BundleDocument> = {},
): BundleDocument {
  const files = Object.entries(contents).map(
    ([path, text]): CarriedFile => ({
      path,
      digest: digestOf(text),
      size: Buffer.byteLength(text),
      url: `https://github.com/${path}`,
      updatedAt: "2026-11-02T10:00:00Z",
      trust: "github",
    }),
  );
  return sampleDocument({ name, counter, files, recipes: [], builds: [], releases: [], ...changes });
}

/** A bundle of these contents, by mirror path, as the files of its tar. */
export function bundleOf(
  name: string,
  counter: number,
  contents: Readonly<Record<string, string>>,
  signers = [builderKey.signer],
  changes: Partial<BundleDocument> = {},
): MemoryFile[] {
  const bytes = new Map(Object.entries(contents).map(([path, text]) => [path, Buffer.from(text)]));
  return bundleFilesOf(renderBundle(documentOf(name, counter, contents, changes), signers), bytes);
}

export interface ImportCase extends Partial<ImportOptions> {
  seekable?: boolean;
  label?: string;
}

/** Imports a bundle from memory, trusting `builderKey`. */
export function importFiles(
  store: LayoutStore,
  files: readonly MemoryFile[],
  { seekable = true, label = "b.tar", ...options }: ImportCase = {},
): Promise<ImportReport> {
  return importBundle(memorySource(files, { seekable, label }), { ...importOptions(store), ...options });
}

export function importOptions(store: LayoutStore): ImportOptions {
  return { store, trust: [builderKey.verifier], concurrency: 2, clock: systemClock, logger: silentLogger };
}

/** Everything in a store that an import may change: names of blobs, whole or not, the index, marks, partial files. */
export async function contentOf(store: LayoutStore): Promise<Record<string, string[]>> {
  const { blobs, importing, partial, index } = store.folders;
  const list = async (folder: string): Promise<string[]> => (await readdir(folder)).sort();
  return {
    blobs: await list(blobs),
    importing: await list(importing),
    partial: await list(partial),
    index: [await readFile(index, "utf8")],
  };
}
