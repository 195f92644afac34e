import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { beforeEach, describe, expect, it } from "vitest";
import type { Clock } from "../../src/lib/clock.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type Digest, digestOf, hexOf } from "../../src/lib/digest.ts";
import { collectGarbage, type GarbageReport } from "../../src/store/gc.ts";
import { markImport } from "../../src/store/import-mark.ts";
import { type LayoutStore, openLayoutStore } from "../../src/store/layout-store.ts";
import { reachable } from "../../src/store/reachable.ts";
import { type Descriptor, MEDIA_TYPE_INDEX, MEDIA_TYPE_MANIFEST } from "../../src/wire/oci.ts";
import { collect } from "../support/collect.ts";
import { tmpDir } from "../support/tmp.ts";

const HOUR = 3_600_000;
/** A clock by which everything written now is a day old. */
const tomorrow: Clock = { ...systemClock, now: () => Date.now() + 24 * HOUR };

let store: LayoutStore;
beforeEach(async () => {
  store = await openLayoutStore(await tmpDir());
});

async function addBundle(files: readonly string[], name: string): Promise<Descriptor> {
  const layers: Descriptor[] = [];
  for (const file of files) {
    layers.push({
      mediaType: "application/octet-stream",
      digest: await store.putSmall(Buffer.from(file)),
      size: file.length,
    });
  }
  const config = {
    mediaType: "application/json",
    digest: await store.putSmall(Buffer.from(name)),
    size: name.length,
  };
  const manifest = Buffer.from(
    JSON.stringify({ schemaVersion: 2, mediaType: MEDIA_TYPE_MANIFEST, config, layers }),
  );
  const entry = {
    mediaType: MEDIA_TYPE_MANIFEST,
    digest: await store.putSmall(manifest),
    size: manifest.length,
  };
  await store.updateIndex((index) => ({ ...index, manifests: [...index.manifests, entry] }));
  return entry;
}

async function dropBundle(entry: Descriptor): Promise<void> {
  await store.updateIndex((index) => ({
    ...index,
    manifests: index.manifests.filter(({ digest }) => digest !== entry.digest),
  }));
}

function collectNow(dryRun = false, clock = tomorrow): Promise<GarbageReport> {
  return collectGarbage(store, { clock, dryRun, graceMs: HOUR });
}

describe("collectGarbage", () => {
  it("M14: a dry run says what would go and removes nothing; then exactly that goes", async () => {
    const one = await addBundle(["shared", "only one"], "one");
    await addBundle(["shared", "only two"], "two");
    expect((await collectNow()).blobs).toEqual([]);
    await dropBundle(one);
    const planned = await collectNow(true);
    expect(planned.blobs.map(({ digest }) => digest).sort()).toEqual(
      [one.digest, digestOf("one"), digestOf("only one")].sort(),
    );
    expect(await store.stat(one.digest)).toBe(one.size);
    expect(await collectNow()).toEqual(planned);
    expect(await store.stat(digestOf("only one"))).toBeUndefined();
    expect(await store.stat(digestOf("shared"))).toBe(6);
    expect(await collect(store.list())).toHaveLength(4);
    expect(planned.bytes).toBe(one.size + 3 + 8);
  });

  it("M14: keeps what an import wants, also of one that was killed, until it is done", async () => {
    const wanted = await store.putSmall(Buffer.from("not named yet"));
    const mark = await markImport(store, digestOf("manifest"), "site-b 7", [wanted]);
    const report = await collectNow();
    expect(report).toMatchObject({ blobs: [], kept: { importing: 1 }, imports: ["site-b 7"] });
    expect(await store.stat(wanted)).toBe(13);
    await mark.done();
    await collectNow();
    expect(await store.stat(wanted)).toBeUndefined();
  });

  it("M14: a blob that is being served is read to its end", async () => {
    const big = Buffer.alloc(3_000_000, "served");
    const digest = await store.putSmall(big);
    const stream = store.read(digest);
    await new Promise((resolve) => stream.once("readable", resolve));
    expect((await collectNow()).blobs).toEqual([{ digest, size: big.length }]);
    expect((await buffer(stream)).equals(big)).toBe(true);
    expect(await store.stat(digest)).toBeUndefined();
  });

  it("keeps what is young, for somebody may be about to name it", async () => {
    await store.putSmall(Buffer.from("just fetched"));
    const report = await collectNow(false, systemClock);
    expect(report).toMatchObject({ blobs: [], kept: { young: 1 } });
  });

  it("removes unfinished writes and downloads that nobody went on with, and no stranger's file", async () => {
    const temporary = `.${hexOf(digestOf("x"))}.0123456789ab.tmp`;
    await writeFile(join(store.folders.blobs, temporary), "half");
    await writeFile(join(store.folders.blobs, "notes.txt"), "a stranger's");
    await writeFile(await store.partialPath("download"), "half of it");
    expect((await collectNow(false, systemClock)).unfinished).toEqual([]);
    const report = await collectNow();
    expect(report.unfinished.map(({ size }) => size)).toEqual([4, 10]);
    expect(await readdir(store.folders.blobs)).toEqual(["notes.txt"]);
    expect(await readdir(store.folders.partial)).toEqual([]);
  });

  it("removes nothing where it cannot tell what is named", async () => {
    const entry = await addBundle(["a file"], "one");
    const garbage = await store.putSmall(Buffer.from("garbage"));
    await writeFile(store.pathOf(entry.digest), "damaged");
    await expect(collectNow()).rejects.toMatchObject({ code: "STORE_DAMAGED" });
    await store.delete(entry.digest);
    await expect(collectNow()).rejects.toMatchObject({ code: "STORE_DAMAGED" });
    await dropBundle(entry);
    await writeFile(join(store.folders.importing, "x.json"), "{");
    await expect(collectNow()).rejects.toMatchObject({ code: "STORE_DAMAGED" });
    expect(await store.stat(garbage)).toBe(7);
    expect(await stat(store.folders.importing)).toBeDefined();
  });
});

describe("reachable", () => {
  const none = (): Promise<Uint8Array> => Promise.reject(new Error("not asked for"));

  it("is empty for an empty index", async () => {
    expect(await reachable({ schemaVersion: 2, manifests: [] }, none)).toEqual(new Set<Digest>());
  });

  it("refuses what it does not know", async () => {
    const digest = digestOf("x");
    const unknown = { mediaType: MEDIA_TYPE_INDEX, digest, size: 1 };
    await expect(reachable({ schemaVersion: 2, manifests: [unknown] }, none)).rejects.toMatchObject({
      code: "STORE_DAMAGED",
    });
    const known = { ...unknown, mediaType: MEDIA_TYPE_MANIFEST };
    const read = (): Promise<Uint8Array> => Promise.resolve(Buffer.from("{}"));
    await expect(reachable({ schemaVersion: 2, manifests: [known] }, read)).rejects.toMatchObject({
      code: "STORE_DAMAGED",
    });
  });
});
