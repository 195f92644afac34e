import { createReadStream } from "node:fs";
import { readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { afterAll, describe, expect, it } from "vitest";
import { openBundleSource } from "../../src/archive/open-source.ts";
import { type VerifyReport, verifyBundle } from "../../src/bundle/verify.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { createHashPool } from "../../src/lib/hash-pool.ts";
import { silentLogger } from "../../src/log.ts";
import { blobName } from "../../src/wire/oci.ts";
import { writeFolder, writeTarOf } from "../support/bundle-on-disk.ts";
import { newPair, SAMPLE_CONTENTS, SERVER_PATH, sampleBundle } from "../support/sample-bundle.ts";
import { tmpDir } from "../support/tmp.ts";

const pool = createHashPool(2);
afterAll(() => pool.close());

const pair = newPair();
const signed = sampleBundle([pair.signer]);
const SERVER = SAMPLE_CONTENTS.get(SERVER_PATH) ?? Buffer.alloc(0);

async function verify(input: string | Readable): Promise<VerifyReport> {
  const source = await openBundleSource(input, pool);
  try {
    return await verifyBundle(source, [pair.verifier], { concurrency: 2, logger: silentLogger });
  } finally {
    await source.close();
  }
}

describe("verifyBundle on real files", () => {
  it("gives one answer for a tar, the same tar as a stream, and a folder", async () => {
    const folder = await tmpDir();
    const tar = await writeTarOf(join(folder, "bundle.tar"), signed);
    const layout = await writeFolder(join(folder, "bundle"), signed);
    const report = await verify(tar);
    expect(report).toMatchObject({ verified: true, files: 4, bundle: tar });
    expect(await verify(createReadStream(tar))).toEqual({ ...report, bundle: "standard input" });
    expect(await verify(layout)).toEqual({ ...report, bundle: layout });
  });

  it("M3: refuses a flipped bit anywhere in a tar, headers included", { timeout: 120_000 }, async () => {
    const tar = await writeTarOf(join(await tmpDir(), "bundle.tar"), signed);
    const sound = await readFile(tar);
    const sizes = signed.map(({ bytes }) => 512 + Math.ceil(bytes.length / 512) * 512);
    const starts = sizes.map((_size, at) => sizes.slice(0, at).reduce((sum, size) => sum + size, 0));
    for (const [at, start] of starts.entries()) {
      // The name, the size, the checksum, the type, and the first and last byte of the content.
      const length = signed[at]?.bytes.length ?? 0;
      const content = length === 0 ? [] : [512, 512 + length - 1];
      for (const offset of [3, 130, 150, 156, ...content]) {
        const bytes = Buffer.from(sound);
        bytes.writeUInt8(bytes.readUInt8(start + offset) ^ 4, start + offset);
        await writeFile(tar, bytes);
        for (const input of [tar, createReadStream(tar)]) {
          await expect(verify(input), `byte ${offset} of entry ${at}`).rejects.toMatchObject({ exitCode: 5 });
        }
      }
    }
  });

  it("M3: refuses a tar that was cut, naming what is absent", async () => {
    const tar = await writeTarOf(join(await tmpDir(), "bundle.tar"), signed);
    const { length } = await readFile(tar);
    const metadata = signed
      .slice(0, 7)
      .reduce((sum, { bytes }) => sum + 512 + Math.ceil(bytes.length / 512) * 512, 0);
    for (let size = length - 1; size >= 0; size -= 700) {
      await truncate(tar, size);
      for (const input of [tar, createReadStream(tar)]) {
        await expect(verify(input), `cut to ${size}`).rejects.toMatchObject({ exitCode: 5 });
      }
    }
    await writeTarOf(tar, signed);
    await truncate(tar, metadata + 600);
    for (const input of [tar, createReadStream(tar)]) {
      await expect(verify(input)).rejects.toMatchObject({
        code: "BUNDLE_TRUNCATED",
        message: expect.stringMatching(/is incomplete: \d of 3 files are absent or cut short/) as string,
      });
    }
  });

  it("M3: refuses a changed, a cut, and an added blob in a folder", async () => {
    const folder = await writeFolder(join(await tmpDir(), "bundle"), signed);
    const path = join(folder, blobName(digestOf(SERVER)));
    const changed = Buffer.from(SERVER);
    changed.writeUInt8(changed.readUInt8(0) ^ 1, 0);
    await writeFile(path, changed);
    await expect(verify(folder)).rejects.toMatchObject({ code: "DIGEST_MISMATCH" });
    await truncate(path, 3);
    await expect(verify(folder)).rejects.toMatchObject({ code: "SIZE_MISMATCH" });
    await writeFile(path, SERVER);
    expect(await verify(folder)).toMatchObject({ verified: true });
    await writeFile(join(folder, blobName(digestOf("x"))), "x");
    await expect(verify(folder)).rejects.toMatchObject({ code: "BUNDLE_UNLISTED" });
  });
});
