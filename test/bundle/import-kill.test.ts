import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadCatalog } from "../../server/catalog-load.ts";
import { viewStore } from "../../server/store-view.ts";
import { openBundleSource } from "../../src/archive/open-source.ts";
import { importBundle } from "../../src/bundle/import.ts";
import type { ImportReport } from "../../src/bundle/import-report.ts";
import { scrubStore } from "../../src/bundle/scrub.ts";
import { createHashPool } from "../../src/lib/hash-pool.ts";
import { silentLogger } from "../../src/log.ts";
import { type LayoutStore, openLayoutStore } from "../../src/store/layout-store.ts";
import { writeTarOf } from "../support/bundle-on-disk.ts";
import { builderKey, bundleOf, importFiles, importOptions } from "../support/mirror-store.ts";
import { tmpDir } from "../support/tmp.ts";

const CHILD = fileURLToPath(new URL("../support/import-child.ts", import.meta.url));
const COUNT = 6;
const PATHS = Array.from({ length: COUNT }, (_, i) => `o/r/releases/download/v1/${i}.tar.gz`);
const NEW = Object.fromEntries(PATHS.map((path, i) => [path, `${i}`.repeat(200_000)]));
const OLD_PATH = "o/r/releases/download/v0/old.tar.gz";
const files = bundleOf("new", 1, NEW);
/** Blobs that lead to one that is served: metadata and contents of the old bundle. */
const OLD = bundleOf("old", 1, { [OLD_PATH]: "old" });

interface Scene {
  store: LayoutStore;
  tar: string;
  bytes: Buffer;
  child: ChildProcess;
  stdin: NodeJS.WritableStream;
  ended: Promise<unknown>;
}

/** A store with the old bundle, and a process that imports the new one from its standard input. */
async function scene(): Promise<Scene> {
  const folder = await tmpDir();
  const store = await openLayoutStore(join(folder, "store"));
  await importFiles(store, OLD);
  const tar = await writeTarOf(join(folder, "new.tar"), files);
  await writeFile(join(folder, "k.pub"), builderKey.publicPem);
  const child = spawn(process.execPath, ["--import", "tsx", CHILD, store.root, join(folder, "k.pub")], {
    stdio: ["pipe", "inherit", "inherit"],
  });
  const ended = once(child, "exit");
  const { stdin } = child;
  // The process is killed while we write to it.
  stdin.on("error", () => undefined);
  onTestFinished(() => void child.kill("SIGKILL"));
  return { store, tar, bytes: await readFile(tar), child, stdin, ended };
}

async function blobsOf(store: LayoutStore): Promise<string[]> {
  return (await readdir(store.folders.blobs)).filter((name) => /^[0-9a-f]{64}$/.test(name));
}

async function seen(store: LayoutStore): Promise<{ bundles: string[]; old: boolean; served: number }> {
  const { catalog, problems } = await loadCatalog(viewStore(store.root));
  expect(problems).toEqual([]);
  return {
    bundles: catalog.bundles.map(({ document }) => document.name),
    old: catalog.lookup(OLD_PATH) !== undefined,
    served: PATHS.filter((path) => catalog.lookup(path) !== undefined).length,
  };
}

/** Nothing under a final name is torn, named or not. */
async function expectSound(store: LayoutStore): Promise<void> {
  const signal = new AbortController().signal;
  expect((await scrubStore(store, { concurrency: 1, logger: silentLogger, signal })).damaged).toEqual([]);
}

async function importAgain(store: LayoutStore, tar: string): Promise<ImportReport> {
  const pool = createHashPool(1);
  const source = await openBundleSource(tar, pool);
  try {
    return await importBundle(source, importOptions(store));
  } finally {
    await source.close();
    await pool.close();
  }
}

describe("M2: an import is killed", () => {
  it.each([
    ["within the second content", 1],
    ["within the fifth content", 4],
    ["when all is written but the index", COUNT],
  ])("%s: readers see the old state, and the next import goes on", async (_when, whole) => {
    const { store, tar, bytes, child, stdin, ended } = await scene();
    const before = (await blobsOf(store)).length;
    // All of the metadata, `whole` contents, and half of the next; or all but the tar's end.
    const contents = files.slice(7);
    const next = contents[whole];
    const at = next === undefined ? bytes.length - 1024 : bytes.indexOf(next.bytes) + next.bytes.length / 2;
    stdin.write(bytes.subarray(0, at));
    while ((await blobsOf(store)).length < before + whole) await delay(10);
    child.kill("SIGKILL");
    await ended;

    expect(await blobsOf(store)).toHaveLength(before + whole);
    expect(await seen(store)).toEqual({ bundles: ["old"], old: true, served: 0 });
    await expectSound(store);
    const report = await importAgain(store, tar);
    expect(report).toMatchObject({
      outcome: "imported",
      skipped: { contents: whole },
      written: { contents: COUNT - whole },
    });
    expect(await seen(store)).toEqual({ bundles: ["old", "new"], old: true, served: COUNT });
    expect(await readdir(store.folders.importing)).toEqual([]);
    await expectSound(store);
  });

  it("as the index is replaced: readers see the old or the new state, and the next import is content", async () => {
    const { store, tar, bytes, child, stdin, ended } = await scene();
    const watcher = watch(store.root, (_event, name) => {
      if (name?.includes("index.json") === true) child.kill("SIGKILL");
    });
    stdin.end(bytes);
    await ended;
    watcher.close();
    const { bundles, served } = await seen(store);
    expect([
      [["old"], 0],
      [["old", "new"], COUNT],
    ]).toContainEqual([bundles, served]);
    expect((await importAgain(store, tar)).skipped.contents).toBe(COUNT);
    expect(await seen(store)).toEqual({ bundles: ["old", "new"], old: true, served: COUNT });
  });
});
