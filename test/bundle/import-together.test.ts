import { readdir } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { BundleSource } from "../../src/archive/bundle-source.ts";
import { importBundle } from "../../src/bundle/import.ts";
import { removeBundles } from "../../src/bundle/store-bundles.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { collectGarbage, type GarbageReport } from "../../src/store/gc.ts";
import { type LayoutStore, openLayoutStore } from "../../src/store/layout-store.ts";
import { type MemoryFile, memorySource } from "../support/memory-source.ts";
import { bundleOf, emptyStore, importFiles, importOptions } from "../support/mirror-store.ts";

const CONTENTS = { "o/r/a": "content a", "o/r/b": "content b", "o/r/c": "content c" };
const files = bundleOf("site", 1, CONTENTS);

/** A source that stops before its second content until it is let go on. */
function gated(bundle: readonly MemoryFile[]): {
  source: BundleSource;
  reached: Promise<void>;
  goOn: () => void;
} {
  const source = memorySource(bundle);
  let goOn = (): void => undefined;
  let arrive = (): void => undefined;
  const reached = new Promise<void>((resolve) => (arrive = resolve));
  const open = new Promise<void>((resolve) => (goOn = resolve));
  return {
    reached,
    goOn: () => {
      goOn();
    },
    source: {
      ...source,
      entries: async function* () {
        let count = 0;
        for await (const entry of source.entries()) {
          if (++count === 9) {
            arrive();
            await open;
          }
          yield entry;
        }
      },
    },
  };
}

function gc(store: LayoutStore, dryRun = false): Promise<GarbageReport> {
  return collectGarbage(store, { clock: systemClock, dryRun, graceMs: 0 });
}

async function held(
  store: LayoutStore,
  contents: Readonly<Record<string, string>> = CONTENTS,
): Promise<string[]> {
  const found: string[] = [];
  for (const [path, text] of Object.entries(contents)) {
    if ((await store.verify(digestOf(text), text.length)) === "ok") found.push(path);
  }
  return found;
}

describe("M2: several imports at once", () => {
  it("brings one bundle in once, from two processes", async () => {
    const store = await emptyStore();
    const other = await openLayoutStore(store.root);
    const reports = await Promise.all([
      importFiles(store, files),
      importFiles(other, files, { seekable: false }),
    ]);
    expect(new Set(reports.map(({ importedAt }) => importedAt)).size).toBe(1);
    expect((await store.readIndex()).manifests).toHaveLength(2);
    expect(await held(store)).toHaveLength(3);
    expect(await readdir(store.folders.importing)).toEqual([]);
  });

  it("loses none of several bundles", async () => {
    const store = await emptyStore();
    const names = ["one", "two", "three", "four"];
    await Promise.all(
      names.map((name) => importFiles(store, bundleOf(name, 1, { ...CONTENTS, [`o/r/${name}`]: name }))),
    );
    expect((await store.readIndex()).manifests).toHaveLength(8);
    for (const name of names) expect(await store.stat(digestOf(name))).toBe(name.length);
  });

  it("takes nothing from one when a damaged copy of the same bundle is refused", async () => {
    const store = await emptyStore();
    const { source, reached, goOn } = gated(files);
    const running = importBundle(source, importOptions(store));
    await reached;
    const damaged = files.map((file) =>
      file.bytes.toString() === "content c" ? { ...file, bytes: Buffer.from("content X") } : file,
    );
    await expect(importFiles(store, damaged, { concurrency: 1 })).rejects.toMatchObject({
      code: "DIGEST_MISMATCH",
    });
    goOn();
    expect((await running).outcome).toBe("imported");
    expect(await held(store)).toHaveLength(3);
  });
});

describe("M14: garbage collection", () => {
  it("takes nothing from an import that is running", async () => {
    const store = await emptyStore();
    await store.putSmall(Buffer.from("content c"));
    await store.putSmall(Buffer.from("garbage"));
    const { source, reached, goOn } = gated(files);
    const running = importBundle(source, importOptions(store));
    await reached;
    const report = await gc(store);
    expect(report.blobs.map(({ digest }) => digest)).toEqual([digestOf("garbage")]);
    expect(report.kept.importing).toBeGreaterThan(1);
    expect(report.imports).toEqual(["site 1"]);
    goOn();
    await running;
    expect(await held(store)).toHaveLength(3);
    expect((await gc(store)).blobs).toEqual([]);
  });

  it("takes nothing from an import that was killed and will go on", async () => {
    const store = await emptyStore();
    const stop = new AbortController();
    const { source, reached, goOn } = gated(files);
    const running = importBundle(source, { ...importOptions(store), signal: stop.signal });
    await reached;
    stop.abort();
    goOn();
    await expect(running).rejects.toMatchObject({ code: "INTERRUPTED" });
    expect((await gc(store)).blobs).toEqual([]);
    expect((await importFiles(store, files)).skipped.contents).toBe(1);
    expect((await gc(store)).imports).toEqual([]);
  });

  it("keeps what another bundle shares, after a dry run that removes nothing", async () => {
    const store = await emptyStore();
    await importFiles(store, files);
    await importFiles(store, bundleOf("other", 1, { "o/r/a": "content a" }));
    await removeBundles(store, "site@1");
    const planned = await gc(store, true);
    expect(await held(store)).toHaveLength(3);
    // Two contents, manifest, document, and the signature's manifest, config and payload of the removed bundle.
    const own = new Set(files.slice(2).map(({ bytes }) => digestOf(bytes)));
    own.delete(digestOf("content a"));
    const shared = await sharedMetadata(store);
    expect(planned.blobs.map(({ digest }) => digest)).toEqual(
      [...own].filter((digest) => !shared.has(digest)).sort(),
    );
    const done = await gc(store);
    expect(done.blobs).toEqual(planned.blobs);
    expect(await held(store)).toEqual(["o/r/a"]);
  });

  it("lets a download that began before it end with the right bytes", async () => {
    const store = await emptyStore();
    // More than a stream holds ahead.
    const large = "large".repeat(2_000_000);
    await store.putSmall(Buffer.from(large));
    await importFiles(store, bundleOf("large", 1, { "o/r/large": large }));
    const stream = store.read(digestOf(large));
    await new Promise((resolve) => stream.once("readable", resolve));
    await removeBundles(store, "large");
    await gc(store);
    expect(digestOf(await buffer(stream))).toBe(digestOf(large));
  });
});

/** Metadata blobs that two bundles have in common, such as the signature's config where payloads are equal. */
async function sharedMetadata(store: LayoutStore): Promise<Set<string>> {
  const shared = new Set<string>();
  for (const { digest } of (await store.readIndex()).manifests) {
    shared.add(digest);
    const manifest = JSON.parse((await store.readSmall(digest)).toString("utf8")) as {
      config: { digest: string };
      layers: { digest: string }[];
    };
    for (const blob of [manifest.config, ...manifest.layers]) shared.add(blob.digest);
  }
  return shared;
}
