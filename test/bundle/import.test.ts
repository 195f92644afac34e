import { appendFile, rm, stat, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { BundleSource } from "../../src/archive/bundle-source.ts";
import { importBundle } from "../../src/bundle/import.ts";
import { ImportReport } from "../../src/bundle/import-report.ts";
import { digestOf } from "../../src/lib/digest.ts";
import type { ProgressEvent } from "../../src/log.ts";
import { silentLogger } from "../../src/log.ts";
import { blobName } from "../../src/wire/oci.ts";
import { ANNOTATION_IMPORTED_AT, ANNOTATION_SIGNED_BY } from "../../src/wire/store-annotations.ts";
import { memorySource } from "../support/memory-source.ts";
import {
  builderKey,
  bundleOf,
  contentOf,
  emptyStore,
  importFiles,
  importOptions,
} from "../support/mirror-store.ts";
import { newPair, SAMPLE_CONTENTS, SERVER_PATH, sampleBundle, WHEEL_PATH } from "../support/sample-bundle.ts";

const signed = sampleBundle([builderKey.signer]);
const serverDigest = digestOf(SAMPLE_CONTENTS.get(SERVER_PATH) ?? "");
const wheelDigest = digestOf(SAMPLE_CONTENTS.get(WHEEL_PATH) ?? "");
const AMOUNT = {
  contents: 3,
  bytes: [SERVER_PATH, WHEEL_PATH].reduce((sum, path) => sum + (SAMPLE_CONTENTS.get(path)?.length ?? 0), 0),
};
const NOTHING = { contents: 0, bytes: 0 };

describe.each([
  ["a stream", false],
  ["a seekable source", true],
])("importBundle of %s", (_name, seekable) => {
  it("brings in every content and says so", async () => {
    const store = await emptyStore();
    const report = await importFiles(store, signed, { seekable });
    expect(ImportReport.parse(report)).toEqual(report);
    expect(report).toMatchObject({
      bundle: "b.tar",
      name: "site-a",
      counter: 3,
      outcome: "imported",
      signedBy: [{ keyId: builderKey.signer.keyId }],
      files: 4,
      total: AMOUNT,
      written: AMOUNT,
      skipped: NOTHING,
      conflicts: [],
      prefer: null,
    });
    for (const bytes of SAMPLE_CONTENTS.values()) {
      expect(await store.verify(digestOf(bytes), bytes.length)).toBe("ok");
    }
    const [bundle, signature] = (await store.readIndex()).manifests;
    expect(bundle?.annotations).toMatchObject({
      [ANNOTATION_IMPORTED_AT]: report.importedAt,
      [ANNOTATION_SIGNED_BY]: builderKey.signer.keyId,
    });
    expect(signature?.annotations?.["kind"]).toBe("dev.cosignproject.cosign/sigs");
    expect((await contentOf(store))["importing"]).toEqual([]);
  });

  it("changes nothing the second time, and writes nothing", async () => {
    const store = await emptyStore();
    await importFiles(store, signed, { seekable });
    const before = await contentOf(store);
    const report = await importFiles(store, signed, { seekable });
    expect(report).toMatchObject({ outcome: "unchanged", written: NOTHING, skipped: AMOUNT });
    expect(await contentOf(store)).toEqual(before);
  });

  it("hashes what the store has as well, and does not write it", async () => {
    const store = await emptyStore();
    await importFiles(store, signed);
    const { ino } = await stat(store.pathOf(serverDigest));
    const source = memorySource(signed, { seekable });
    await importBundle(source, importOptions(store));
    for (const digest of [serverDigest, wheelDigest]) expect(source.reads.get(blobName(digest))).toBe(1);
    expect((await stat(store.pathOf(serverDigest))).ino).toBe(ino);
  });

  it("repairs what is absent or damaged in the store, metadata as well", async () => {
    const store = await emptyStore();
    await importFiles(store, signed);
    await rm(store.pathOf(serverDigest));
    await appendFile(store.pathOf(wheelDigest), "x");
    const report = await importFiles(store, signed, { seekable });
    expect(report).toMatchObject({ outcome: "repaired", written: { contents: 2 }, skipped: { contents: 1 } });
    await writeFile(store.pathOf(report.manifest), "{}");
    expect(await importFiles(store, signed, { seekable })).toMatchObject({
      outcome: "repaired",
      written: NOTHING,
    });
    expect(await store.readSmall(report.manifest)).toBeInstanceOf(Buffer);
  });

  it("imports a bundle that carries nothing", async () => {
    const store = await emptyStore();
    expect(await importFiles(store, bundleOf("empty", 1, {}), { seekable })).toMatchObject({
      total: NOTHING,
    });
  });

  it("refuses what cannot fit before it writes anything", async () => {
    const store = await emptyStore();
    const before = await contentOf(store);
    const huge = 2 ** 52;
    const files = bundleOf("huge", 1, {}, undefined, {
      files: [
        {
          path: "o/r/releases/download/1/huge",
          digest: digestOf("huge"),
          size: huge,
          url: "https://github.com/o/r",
          updatedAt: "2026-11-02T10:00:00Z",
          trust: "github",
        },
      ],
    }).map((file) => (file.name === blobName(digestOf("huge")) ? { ...file, bytes: Buffer.alloc(0) } : file));
    const error = importBundle(pretending(memorySource(files, { seekable }), huge), importOptions(store));
    await expect(error).rejects.toMatchObject({ code: "DISK_FULL", details: { needed: huge } });
    expect(await contentOf(store)).toEqual(before);
  });

  it("keeps what it verified when it is interrupted, and goes on there", async () => {
    const store = await emptyStore();
    const stop = new AbortController();
    const written: number[] = [];
    const logger = {
      ...silentLogger,
      progress: (event: ProgressEvent) => {
        if (event.kind !== "advance") return;
        written.push(event.bytes);
        // Contents come by digest: the third is met after two are whole.
        if (written.length > 200) stop.abort();
      },
    };
    const running = importFiles(store, signed, { seekable, logger, concurrency: 1, signal: stop.signal });
    await expect(running).rejects.toMatchObject({ code: "INTERRUPTED" });
    const kept = (await contentOf(store))["blobs"] ?? [];
    expect(kept.length).toBeGreaterThan(0);
    expect((await store.readIndex()).manifests).toEqual([]);
    expect((await contentOf(store))["importing"]).toHaveLength(1);

    const report = await importFiles(store, signed, { seekable });
    expect(report.skipped.contents).toBe(kept.length);
    expect(report.written.contents).toBe(3 - kept.length);
    expect((await contentOf(store))["importing"]).toEqual([]);
  });

  it("tells of its progress to the end", async () => {
    const events: ProgressEvent[] = [];
    const logger = { ...silentLogger, progress: (event: ProgressEvent) => void events.push(event) };
    await importFiles(await emptyStore(), signed, { seekable, logger });
    expect(events.filter((event) => event.kind === "start").map(({ total }) => total)).toEqual([
      0,
      AMOUNT.bytes,
    ]);
    expect(events.reduce((sum, event) => sum + (event.kind === "advance" ? event.bytes : 0), 0)).toBe(
      AMOUNT.bytes,
    );
    expect(events.at(-1)).toMatchObject({ kind: "end", ok: true });
  });
});

/** The same source, whose last entry claims a size and must never be read. */
function pretending(source: BundleSource, size: number): BundleSource {
  return {
    ...source,
    entries: async function* () {
      for await (const entry of source.entries()) yield entry.size === 0 ? { ...entry, size } : entry;
    },
  };
}

describe("importBundle of an unsigned bundle", () => {
  const unsigned = sampleBundle([]);

  it("takes it where that is allowed, says so loudly, and records it", async () => {
    for (const trust of [[], [builderKey.verifier]]) {
      const store = await emptyStore();
      const warnings: string[] = [];
      const logger = { ...silentLogger, warn: (text: string) => void warnings.push(text) };
      const report = await importFiles(store, unsigned, { trust, allowUnsigned: true, logger });
      expect(report.signedBy).toEqual([]);
      expect((await store.readIndex()).manifests[0]?.annotations).toMatchObject({
        [ANNOTATION_SIGNED_BY]: "unsigned",
      });
      expect(warnings.join()).toMatch(/NOT SIGNED.*recorded as unsigned/);
    }
  });

  it("refuses a stranger's signature all the same where keys are given", async () => {
    const store = await emptyStore();
    const theirs = sampleBundle([newPair().signer]);
    const importing = importFiles(store, theirs, { allowUnsigned: true });
    await expect(importing).rejects.toMatchObject({ code: "SIGNATURE_INVALID" });
  });

  it("records a signature that was not checked as none", async () => {
    const store = await emptyStore();
    const report = await importFiles(store, signed, { trust: [], allowUnsigned: true });
    expect(report.signedBy).toEqual([]);
    expect((await store.readIndex()).manifests[0]?.annotations).toMatchObject({
      [ANNOTATION_SIGNED_BY]: "unsigned",
    });
  });

  it("notes the signer once the same bundle comes signed, and keeps that when it comes unsigned again", async () => {
    const store = await emptyStore();
    const keyOf = async (): Promise<unknown> =>
      (await store.readIndex()).manifests.map(({ annotations }) => annotations?.[ANNOTATION_SIGNED_BY]);
    const first = await importFiles(store, unsigned, { allowUnsigned: true });
    expect(await keyOf()).toEqual(["unsigned"]);
    const second = await importFiles(store, signed);
    expect(second.importedAt).toBe(first.importedAt);
    expect(await keyOf()).toEqual([builderKey.signer.keyId, undefined]);
    const index = await store.readIndex();
    await importFiles(store, sampleBundle([newPair().signer]), { trust: [], allowUnsigned: true });
    expect(await store.readIndex()).toEqual(index);
    await importFiles(store, unsigned, { allowUnsigned: true });
    expect(await store.readIndex()).toEqual(index);
  });

  it("needs a key or that word", async () => {
    await expect(importFiles(await emptyStore(), signed, { trust: [] })).rejects.toMatchObject({
      code: "USAGE",
    });
  });
});
