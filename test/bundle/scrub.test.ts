import { appendFile, rm, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { ScrubReport, scrubStore } from "../../src/bundle/scrub.ts";
import { removeBundles } from "../../src/bundle/store-bundles.ts";
import { type Digest, digestOf } from "../../src/lib/digest.ts";
import { type ProgressEvent, silentLogger } from "../../src/log.ts";
import type { LayoutStore } from "../../src/store/layout-store.ts";
import { bundleOf, emptyStore, importFiles } from "../support/mirror-store.ts";

const A = "o/r/releases/download/v1/a";
const B = "o/r/releases/download/v1/b";
const COPY = "o/r/releases/download/v2/a";

const options = { concurrency: 2, logger: silentLogger, signal: new AbortController().signal };

async function scrub(store: LayoutStore): Promise<ScrubReport> {
  const report = await scrubStore(store, options);
  expect(ScrubReport.parse(report)).toEqual(report);
  return report;
}

/** Bundle `one` with A and B, bundle `two` with a copy of A under another path. */
async function twoBundles(): Promise<LayoutStore> {
  const store = await emptyStore();
  await importFiles(store, bundleOf("one", 1, { [A]: "content a", [B]: "content b" }));
  await importFiles(store, bundleOf("two", 7, { [COPY]: "content a" }));
  return store;
}

describe("scrubStore", () => {
  it("says that a sound store is sound, and how much it hashed", async () => {
    const store = await twoBundles();
    const report = await scrub(store);
    expect(report).toMatchObject({ bundles: 2, damaged: [], unreadable: [] });
    let blobs = 0;
    let bytes = 0;
    for await (const { size } of store.list()) {
      blobs++;
      bytes += size;
    }
    expect(report.checked).toEqual({ blobs, bytes });
  });

  it("checks nothing in an empty store, and says so", async () => {
    expect(await scrub(await emptyStore())).toMatchObject({ bundles: 0, checked: { blobs: 0, bytes: 0 } });
  });

  it("names a damaged and an absent content by paths and bundles", async () => {
    const store = await twoBundles();
    await writeFile(store.pathOf(digestOf("content a")), "content X");
    await rm(store.pathOf(digestOf("content b")));
    const report = await scrub(store);
    expect(report.damaged).toEqual(
      [
        {
          digest: digestOf("content a"),
          state: "damaged",
          kind: "file",
          paths: [A, COPY],
          bundles: ["one 1", "two 7"],
        },
        { digest: digestOf("content b"), state: "absent", kind: "file", paths: [B], bundles: ["one 1"] },
      ].sort((a, b) => (a.digest < b.digest ? -1 : 1)),
    );
    expect(report.unreadable).toEqual([]);
  });

  it("changes nothing, and an import repairs what it named", async () => {
    const store = await twoBundles();
    await appendFile(store.pathOf(digestOf("content b")), "x");
    expect((await scrub(store)).damaged).toHaveLength(1);
    expect((await scrub(store)).damaged).toHaveLength(1);
    await importFiles(store, bundleOf("one", 1, { [A]: "content a", [B]: "content b" }));
    expect((await scrub(store)).damaged).toEqual([]);
  });

  it("names a bundle whose record is damaged, and goes on with the others", async () => {
    const store = await twoBundles();
    const [one, signature] = (await store.readIndex()).manifests;
    const config = async (digest: Digest | undefined): Promise<Digest> =>
      (
        JSON.parse((await store.readSmall(digest ?? digestOf(""))).toString()) as {
          config: { digest: Digest };
        }
      ).config.digest;
    for (const [kind, digest] of [
      ["document", await config(one?.digest)],
      ["manifest", one?.digest],
      ["signature", signature?.digest],
    ] as const) {
      const path = store.pathOf(digest ?? digestOf(""));
      const bytes = await store.readSmall(digest ?? digestOf(""));
      await writeFile(path, "{}");
      const report = await scrub(store);
      expect(report.unreadable, kind).toEqual(["one 1"]);
      expect(report.damaged).toEqual([expect.objectContaining({ digest, kind, bundles: ["one 1"] })]);
      await writeFile(path, bytes);
    }
    expect((await scrub(store)).damaged).toEqual([]);
  });

  it("names what it can of a bundle whose document is damaged", async () => {
    const store = await twoBundles();
    const [one] = (await store.readIndex()).manifests;
    const manifest = JSON.parse((await store.readSmall(one?.digest ?? digestOf(""))).toString()) as {
      config: { digest: Digest };
    };
    await rm(store.pathOf(manifest.config.digest));
    await rm(store.pathOf(digestOf("content b")));
    expect((await scrub(store)).damaged).toEqual(
      expect.arrayContaining([expect.objectContaining({ digest: digestOf("content b"), paths: [B] })]),
    );
  });

  it("names damaged garbage as such, and does not miss garbage that went away", async () => {
    const store = await twoBundles();
    await writeFile(store.pathOf(digestOf("content b")), "");
    await removeBundles(store, "one");
    const report = await scrub(store);
    expect(report.damaged).toEqual([
      { digest: digestOf("content b"), state: "damaged", kind: "unnamed", paths: [], bundles: [] },
    ]);
    const leaving: LayoutStore = {
      ...store,
      list: async function* () {
        yield* store.list();
        await store.delete(digestOf("content b"));
      },
    };
    expect((await scrub(leaving)).damaged).toEqual([]);
  });

  it("tells of its progress, and stops when it is interrupted", async () => {
    const store = await twoBundles();
    const events: ProgressEvent[] = [];
    const logger = { ...silentLogger, progress: (event: ProgressEvent) => void events.push(event) };
    const { checked } = await scrubStore(store, { ...options, logger });
    expect(events.reduce((sum, event) => sum + (event.kind === "advance" ? event.bytes : 0), 0)).toBe(
      checked.bytes,
    );
    await expect(
      scrubStore(store, { ...options, logger, signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({
      code: "INTERRUPTED",
    });
    expect(events.at(-1)).toMatchObject({ kind: "end", ok: false });
  });
});
