import { describe, expect, it } from "vitest";
import type { BundleEntry, BundleSource } from "../../src/archive/bundle-source.ts";
import { VerifyReport, verifyBundle } from "../../src/bundle/verify.ts";
import { digestOf } from "../../src/lib/digest.ts";
import type { Logger, ProgressEvent } from "../../src/log.ts";
import { silentLogger } from "../../src/log.ts";
import { blobName } from "../../src/wire/oci.ts";
import { type MemoryFile, memorySource } from "../support/memory-source.ts";
import {
  COPY_PATH,
  newPair,
  SAMPLE_CONTENTS,
  SERVER_PATH,
  sampleBundle,
  sampleDocument,
  WHEEL_PATH,
} from "../support/sample-bundle.ts";

const pair = newPair();
const signed = sampleBundle([pair.signer]);
const options = { concurrency: 2, logger: silentLogger };
const BYTES = [SERVER_PATH, WHEEL_PATH].reduce(
  (sum, path) => sum + (SAMPLE_CONTENTS.get(path)?.length ?? 0),
  0,
);

function damage(files: readonly MemoryFile[], ...paths: string[]): MemoryFile[] {
  const names = new Set(paths.map((path) => blobName(digestOf(SAMPLE_CONTENTS.get(path) ?? ""))));
  return files.map((file) => {
    if (!names.has(file.name)) return file;
    const bytes = Buffer.from(file.bytes);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
    return { name: file.name, bytes };
  });
}

/** A source whose files come from memory, but whose hashing is watched and steered by the test. */
function watched(
  files: readonly MemoryFile[],
  digest: (entry: BundleEntry) => ReturnType<BundleEntry["digest"]>,
): BundleSource {
  const source = memorySource(files, { seekable: true });
  return {
    ...source,
    entries: async function* () {
      for await (const entry of source.entries()) yield { ...entry, digest: () => digest(entry) };
    },
  };
}

describe.each([
  ["a stream", false],
  ["a seekable source", true],
])("verifyBundle of %s", (_name, seekable) => {
  const verify = (files: readonly MemoryFile[]): Promise<VerifyReport> =>
    verifyBundle(memorySource(files, { seekable, label: "x.tar" }), [pair.verifier], options);

  it("reports what was verified", async () => {
    const report = await verify(signed);
    expect(VerifyReport.parse(report)).toEqual(report);
    expect(report).toMatchObject({
      verified: true,
      bundle: "x.tar",
      name: "site-a",
      counter: 3,
      created: "2026-11-02T10:00:00Z",
      signedBy: [{ keyId: pair.signer.keyId, fingerprint: pair.signer.fingerprint }],
      files: 4,
      contents: 3,
      bytes: BYTES,
    });
  });

  it("verifies a bundle that carries nothing", async () => {
    const empty = sampleBundle([pair.signer], sampleDocument({ files: [], builds: [], releases: [] }));
    expect(await verify(empty)).toMatchObject({ files: 0, contents: 0, bytes: 0 });
  });

  it("M3: names a damaged file by every path and both digests", async () => {
    const expected = digestOf(SAMPLE_CONTENTS.get(SERVER_PATH) ?? "");
    await expect(verify(damage(signed, SERVER_PATH))).rejects.toMatchObject({
      code: "DIGEST_MISMATCH",
      message: expect.stringMatching(
        new RegExp(`^x\\.tar: damaged file ${COPY_PATH}.*expected ${expected}, found sha256:`),
      ) as string,
      details: { damaged: [{ paths: [COPY_PATH, SERVER_PATH].sort(), expected }] },
    });
  });

  it("M3: names all damaged files at once, so that they need to be carried again but once", async () => {
    await expect(verify(damage(signed, SERVER_PATH, WHEEL_PATH))).rejects.toMatchObject({
      code: "DIGEST_MISMATCH",
      message: expect.stringContaining("2 of 3 files are damaged") as string,
    });
  });

  it("B24: names a file with + in its name as it is called", async () => {
    await expect(verify(damage(signed, WHEEL_PATH))).rejects.toMatchObject({
      message: expect.stringContaining(WHEEL_PATH) as string,
    });
  });

  it("M3: refuses an extra blob, an absent one, and a bundle that is not signed or not by this key", async () => {
    const extra = { name: blobName(digestOf("x")), bytes: Buffer.from("x") };
    await expect(verify([...signed, extra])).rejects.toMatchObject({ code: "BUNDLE_UNLISTED" });
    await expect(verify(signed.slice(0, -1))).rejects.toMatchObject({ code: "BUNDLE_TRUNCATED" });
    await expect(verify(sampleBundle([]))).rejects.toMatchObject({ code: "SIGNATURE_MISSING" });
    await expect(verify(sampleBundle([newPair().signer]))).rejects.toMatchObject({
      code: "SIGNATURE_INVALID",
    });
  });

  it("tells of its progress, to the end and when it fails", async () => {
    for (const [files, ok] of [
      [signed, true],
      [damage(signed, WHEEL_PATH), false],
    ] as const) {
      const events: ProgressEvent[] = [];
      const logger: Logger = { ...silentLogger, progress: (event) => void events.push(event) };
      await verifyBundle(memorySource(files, { seekable }), [pair.verifier], {
        concurrency: 1,
        logger,
      }).catch(() => undefined);
      const advanced = events.reduce((sum, event) => sum + (event.kind === "advance" ? event.bytes : 0), 0);
      expect(events.at(0)).toMatchObject({ kind: "start", total: BYTES, done: 0 });
      expect(advanced).toBe(BYTES);
      expect(events.at(-1)).toMatchObject({ kind: "end", ok });
    }
  });

  it("stops when it is interrupted", async () => {
    const verifying = verifyBundle(memorySource(signed, { seekable }), [pair.verifier], {
      ...options,
      signal: AbortSignal.abort(),
    });
    await expect(verifying).rejects.toMatchObject({ code: "INTERRUPTED" });
  });
});

describe("verifyBundle of a seekable source", () => {
  it("hashes several files at once, and never more than it may", async () => {
    for (const concurrency of [1, 2, 3]) {
      let running = 0;
      let most = 0;
      const source = watched(signed, async (entry) => {
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running--;
        return entry.digest();
      });
      await verifyBundle(source, [pair.verifier], { concurrency, logger: silentLogger });
      expect(most).toBe(concurrency);
    }
  });

  it("begins no other file after one could not be read, and waits for those it began", async () => {
    let begun = 0;
    let ended = 0;
    const source = watched(signed, async () => {
      const mine = ++begun;
      await new Promise(setImmediate);
      ended++;
      if (mine === 1) throw new Error("the disk is gone");
      return digestOf("");
    });
    await expect(verifyBundle(source, [pair.verifier], options)).rejects.toThrow("the disk is gone");
    expect([begun, ended]).toEqual([2, 2]);
  });
});
