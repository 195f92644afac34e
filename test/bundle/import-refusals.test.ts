import { readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBundleSource } from "../../src/archive/open-source.ts";
import { importBundle } from "../../src/bundle/import.ts";
import { ERROR_CODES, type ErrorCode, EXIT } from "../../src/errors.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { createHashPool } from "../../src/lib/hash-pool.ts";
import { markImport } from "../../src/store/import-mark.ts";
import { blobName } from "../../src/wire/oci.ts";
import { writeTarOf } from "../support/bundle-on-disk.ts";
import { type MemoryFile, memorySource } from "../support/memory-source.ts";
import {
  builderKey,
  bundleOf,
  contentOf,
  emptyStore,
  importFiles,
  importOptions,
} from "../support/mirror-store.ts";
import { newPair, SAMPLE_CONTENTS, SERVER_PATH, sampleBundle, WHEEL_PATH } from "../support/sample-bundle.ts";
import { tmpDir } from "../support/tmp.ts";

const signed = sampleBundle([builderKey.signer]);
const WHEEL = SAMPLE_CONTENTS.get(WHEEL_PATH) ?? Buffer.alloc(0);

/** `oci-layout`, `index.json`, manifest, document, signature's manifest, config and payload; then the contents. */
const PARTS = [
  "its layout",
  "index",
  "manifest",
  "document",
  "signature",
  "signature's config",
  "signature's payload",
];

function flip(files: readonly MemoryFile[], at: number): MemoryFile[] {
  return files.map((file, i) => {
    if (i !== at) return file;
    const bytes = Buffer.from(file.bytes);
    const middle = bytes.length >> 1;
    bytes.writeUInt8(bytes.readUInt8(middle) ^ 4, middle);
    return { ...file, bytes };
  });
}

interface Refusal {
  what: string;
  files: MemoryFile[];
  code: ErrorCode;
  /** What the message must name. */
  names: RegExp;
  cutAfter?: number;
}

const contents = signed.slice(PARTS.length).filter(({ bytes }) => bytes.length > 0);
const extra = { name: blobName(digestOf("extra")), bytes: Buffer.from("extra") };
const refusals: Refusal[] = [
  { what: "unsigned", files: sampleBundle([]), code: "SIGNATURE_MISSING", names: /is not signed/ },
  {
    what: "of an unknown key",
    files: sampleBundle([newPair().signer]),
    code: "SIGNATURE_INVALID",
    names: /not trusted here/,
  },
  {
    what: "with a flipped bit in the layout",
    files: flip(signed, 0),
    code: "BUNDLE_MALFORMED",
    names: /oci-layout/,
  },
  {
    what: "with a flipped bit in the index",
    files: flip(signed, 1),
    code: "BUNDLE_MALFORMED",
    names: /index\.json/,
  },
  ...PARTS.slice(2).map(
    (part, i): Refusal => ({
      what: `with a flipped bit in the ${part}`,
      files: flip(signed, i + 2),
      code: "DIGEST_MISMATCH",
      names: new RegExp(`its ${part} is damaged`),
    }),
  ),
  ...contents.map(
    ({ name }, i): Refusal => ({
      what: `with a flipped bit in content ${i + 1}`,
      files: flip(
        signed,
        signed.findIndex((file) => file.name === name),
      ),
      code: "DIGEST_MISMATCH",
      names: /damaged file .*releases\/download/,
    }),
  ),
  {
    what: "with an extra blob",
    files: [...signed, extra],
    code: "BUNDLE_UNLISTED",
    names: new RegExp(extra.name),
  },
  {
    what: "with an extra blob in front",
    files: [...signed.slice(0, 7), extra, ...signed.slice(7)],
    code: "BUNDLE_UNLISTED",
    names: new RegExp(extra.name),
  },
  {
    what: "that lacks a content",
    files: signed.slice(0, -1),
    code: "BUNDLE_TRUNCATED",
    names: /releases\/download/,
  },
  {
    what: "cut within the last content",
    files: signed,
    cutAfter: signed.reduce((n, { bytes }) => n + bytes.length, -1),
    code: "BUNDLE_TRUNCATED",
    names: /releases\/download/,
  },
  { what: "cut within its metadata", files: signed, cutAfter: 100, code: "BUNDLE_TRUNCATED", names: /ends/ },
];

describe.each([
  ["a stream", false],
  ["a seekable source", true],
])("M3: of %s, importBundle refuses a bundle", (_name, seekable) => {
  it.each(refusals)("$what, and leaves the store as it was", async ({ files, code, names, cutAfter }) => {
    const store = await emptyStore();
    // Another bundle that shares a content, and a stranger's content that nobody names.
    await importFiles(store, bundleOf("other", 1, { [WHEEL_PATH]: WHEEL.toString(), "o/r/x": "x" }));
    await store.putSmall(Buffer.from("nobody names this"));
    const before = await contentOf(store);
    const source = memorySource(files, {
      seekable,
      label: "usb/b.tar",
      ...(cutAfter === undefined ? {} : { cutAfter }),
    });
    await expect(importBundle(source, importOptions(store))).rejects.toMatchObject({
      code,
      message: expect.stringMatching(names) as string,
    });
    expect(ERROR_CODES[code]).toBe(EXIT.verification);
    expect(await contentOf(store)).toEqual(before);
  });

  it("and names every damaged content at once", async () => {
    const store = await emptyStore();
    const before = await contentOf(store);
    const damaged = contents.reduce(
      (files, { name }) =>
        flip(
          files,
          signed.findIndex((file) => file.name === name),
        ),
      signed,
    );
    await expect(importFiles(store, damaged, { seekable })).rejects.toMatchObject({
      code: "DIGEST_MISMATCH",
      message: expect.stringContaining("2 of 3 files are damaged") as string,
    });
    expect(await contentOf(store)).toEqual(before);
  });

  it("without taking from another import what that one needs", async () => {
    const store = await emptyStore();
    const shared = digestOf(SAMPLE_CONTENTS.get(SERVER_PATH) ?? "");
    const empty = digestOf("");
    const mark = await markImport(store, digestOf("another bundle"), "other 1", [shared, empty]);
    const bad = flip(
      signed,
      signed.findIndex(({ name }) => name === blobName(digestOf(WHEEL))),
    );
    await expect(importFiles(store, bad, { seekable, concurrency: 1 })).rejects.toMatchObject({
      code: "DIGEST_MISMATCH",
    });
    const left = (await contentOf(store))["blobs"];
    expect([shared, empty].map((digest) => digest.slice(7))).toEqual(expect.arrayContaining(left ?? []));
    await mark.done();
  });
});

describe("M3: of a real tar, importBundle refuses", () => {
  async function refuse(change: (path: string) => Promise<void>, code: string): Promise<void> {
    const path = join(await tmpDir(), "b.tar");
    await writeTarOf(path, signed);
    await change(path);
    const store = await emptyStore();
    const before = await contentOf(store);
    const pool = createHashPool(1);
    const source = await openBundleSource(path, pool);
    try {
      await expect(importBundle(source, importOptions(store))).rejects.toMatchObject({ code });
    } finally {
      await source.close();
      await pool.close();
    }
    expect(await contentOf(store)).toEqual(before);
  }

  it.each([1, 512, 2000, 9000])("one that lacks its last %d bytes", async (bytes) => {
    await refuse(async (path) => {
      await truncate(path, (await readFile(path)).length - bytes);
    }, "BUNDLE_TRUNCATED");
  });

  it("one that something was added to", async () => {
    await refuse(async (path) => {
      await writeFile(path, "more", { flag: "a" });
    }, "BUNDLE_MALFORMED");
  });
});
