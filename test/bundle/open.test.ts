import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { BundleDocument } from "../../src/bundle/document.ts";
import { renderIndex } from "../../src/bundle/index-json.ts";
import { renderManifest } from "../../src/bundle/manifest.ts";
import { type BundleTrust, type OpenedBundle, openBundle } from "../../src/bundle/open.ts";
import { renderSignatures } from "../../src/bundle/signature-blobs.ts";
import { isFerryError } from "../../src/errors.ts";
import { canonicalJson } from "../../src/lib/canonical-json.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { signManifest } from "../../src/trust/cosign.ts";
import { blobName } from "../../src/wire/oci.ts";
import { type MemoryFile, memorySource } from "../support/memory-source.ts";
import {
  newPair,
  SAMPLE_CONTENTS,
  SERVER_PATH,
  sampleBundle,
  sampleDocument,
} from "../support/sample-bundle.ts";

const pair = newPair();
const stranger = newPair("p256");
const trust: BundleTrust = { verifiers: [pair.verifier] };
const signed = sampleBundle([pair.signer]);
/** oci-layout, index.json, manifest, document, signature manifest, its config, its payload. */
const METADATA = 7;

/** Reads a bundle to its end, hashing every file, as an importer does. */
async function readAll(
  files: readonly MemoryFile[],
  seekable: boolean,
  how: BundleTrust = trust,
): Promise<OpenedBundle> {
  const opened = await openBundle(memorySource(files, { seekable, label: "x.tar" }), how);
  for await (const { blob, entry } of opened.files()) {
    if ((await entry.digest()) !== blob.digest) throw new Error(`damaged ${blob.paths.join()}`);
  }
  return opened;
}

async function drain(stream: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream) bytes += chunk.length;
  return bytes;
}

function flip(files: readonly MemoryFile[], at: number, position: number, bit = 0): MemoryFile[] {
  return files.map((file, index) => {
    if (index !== at) return file;
    const bytes = Buffer.from(file.bytes);
    bytes.writeUInt8(bytes.readUInt8(position) ^ (1 << bit), position);
    return { name: file.name, bytes };
  });
}

function without(files: readonly MemoryFile[], at: number): MemoryFile[] {
  return files.filter((_file, index) => index !== at);
}

/** A bundle put together by hand, so that it can be wrong where the writer never is. Signed with our key. */
function forge(
  document: BundleDocument,
  change: { documentText?: (text: string) => string; manifestText?: (text: string) => string },
): MemoryFile[] {
  const plain = canonicalJson(document);
  const documentBytes = Buffer.from(change.documentText?.(plain) ?? plain);
  const manifestText = renderManifest(document, documentBytes).toString("utf8");
  const manifestBytes = Buffer.from(change.manifestText?.(manifestText) ?? manifestText);
  const digest = digestOf(manifestBytes);
  const signature = renderSignatures(digest, signManifest(digest, [pair.signer]));
  const blob = (bytes: Buffer): MemoryFile => ({ name: blobName(digestOf(bytes)), bytes });
  return [
    { name: "oci-layout", bytes: Buffer.from('{"imageLayoutVersion":"1.0.0"}') },
    { name: "index.json", bytes: renderIndex(document, manifestBytes, signature.manifest) },
    ...[manifestBytes, documentBytes, signature.manifest, signature.config, signature.payload].map(blob),
  ];
}

describe.each([
  ["a stream", false],
  ["a seekable source", true],
])("openBundle of %s", (_name, seekable) => {
  it("reads a signed bundle", async () => {
    const opened = await readAll(signed, seekable);
    expect(opened.signedBy.map(({ keyId }) => keyId)).toEqual([pair.signer.keyId]);
    expect(opened.document.name).toBe("site-a");
    expect(opened.document.files.map(({ path }) => path)).toEqual([...SAMPLE_CONTENTS.keys()].sort());
    expect(opened.metadata).toEqual(signed.slice(0, METADATA));
  });

  it("reads only the metadata until the files are asked for", async () => {
    const source = memorySource(signed, { seekable });
    await openBundle(source, trust);
    expect([...source.reads.keys()].sort()).toEqual(
      signed
        .slice(0, METADATA)
        .map(({ name }) => name)
        .sort(),
    );
  });

  it("reads an unsigned bundle only where that is allowed", async () => {
    const unsigned = sampleBundle([]);
    const opened = await readAll(unsigned, seekable, "unsigned-ok");
    expect([opened.signedBy, opened.claims]).toEqual([[], []]);
    await expect(readAll(unsigned, seekable)).rejects.toMatchObject({
      code: "SIGNATURE_MISSING",
      message: "x.tar is not signed",
      details: { trusted: [{ keyId: pair.verifier.keyId }] },
    });
  });

  it("M3: refuses a bundle of an unknown key, naming it and those that are trusted", async () => {
    await expect(readAll(sampleBundle([stranger.signer]), seekable)).rejects.toMatchObject({
      code: "SIGNATURE_INVALID",
      message: expect.stringMatching(
        new RegExp(`${stranger.signer.keyId}.*${pair.verifier.keyId}`),
      ) as string,
    });
  });

  it("takes a bundle that one of several trusted keys has signed, and one that several have", async () => {
    const both = { verifiers: [stranger.verifier, pair.verifier] };
    expect((await readAll(signed, seekable, both)).signedBy).toHaveLength(1);
    expect(
      (await readAll(sampleBundle([pair.signer, stranger.signer]), seekable, both)).signedBy,
    ).toHaveLength(2);
    expect((await readAll(sampleBundle([pair.signer, stranger.signer]), seekable)).signedBy).toHaveLength(1);
  });

  it("never verifies with no key at all", async () => {
    await expect(readAll(signed, seekable, { verifiers: [] })).rejects.toMatchObject({ code: "USAGE" });
  });

  it("M3: refuses flipped bits all over the metadata", { timeout: 120_000 }, async () => {
    for (let at = 0; at < METADATA; at++) {
      const { name, bytes } = signed[at] ?? { name: "", bytes: Buffer.alloc(0) };
      // Every byte of what is read before a signature vouches for it, a sample of the rest.
      const step = name === "index.json" || at === 4 ? 1 : 7;
      for (let position = 0; position < bytes.length; position += step) {
        const failure = await readAll(flip(signed, at, position, position % 8), seekable).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (isFerryError(failure) && failure.exitCode === 5) continue;
        expect.fail(
          `a flipped bit at ${position} of ${name} was ${failure === undefined ? "accepted" : inspect(failure)}`,
        );
      }
    }
  });

  it.each([
    [0, "BUNDLE_MALFORMED", "its oci-layout is not"],
    [2, "DIGEST_MISMATCH", "its manifest is damaged"],
    [3, "DIGEST_MISMATCH", "its document is damaged"],
    [4, "DIGEST_MISMATCH", "its signature is damaged"],
    [5, "DIGEST_MISMATCH", "its signature's config is damaged"],
    [6, "DIGEST_MISMATCH", "its signature's payload is damaged"],
  ])("M3: says which part is damaged: %i, %s", async (at, code, words) => {
    await expect(readAll(flip(signed, at, 10), seekable)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words) as string,
    });
  });

  it("M3: refuses a changed index.json even where everything in it still fits", async () => {
    const files = signed.map((file) =>
      file.name === "index.json"
        ? { ...file, bytes: Buffer.from(file.bytes.toString("utf8").replace("site-a-3", "site-a-4")) }
        : file,
    );
    await expect(readAll(files, seekable)).rejects.toMatchObject({ code: "BUNDLE_MALFORMED" });
  });

  it("M3: refuses the signature of another bundle", async () => {
    const other = sampleBundle([pair.signer], sampleDocument({ counter: 4 }));
    const index = renderIndex(
      { name: "site-a", counter: 3 },
      signed[2]?.bytes ?? Buffer.alloc(0),
      other[4]?.bytes,
    );
    const mixed = [
      signed[0],
      { name: "index.json", bytes: index },
      signed[2],
      signed[3],
      ...other.slice(4, 7),
      ...signed.slice(METADATA),
    ];
    await expect(readAll(mixed as MemoryFile[], seekable)).rejects.toMatchObject({
      code: "SIGNATURE_INVALID",
      message: expect.stringContaining("is not one of this bundle's manifest") as string,
    });
  });

  it("M3: refuses a blob that nobody lists, wherever it stands", async () => {
    const extra = { name: blobName(digestOf("extra")), bytes: Buffer.from("extra") };
    for (const files of [
      [...signed, extra],
      [...signed.slice(0, METADATA), extra, ...signed.slice(METADATA)],
    ]) {
      await expect(readAll(files, seekable)).rejects.toMatchObject({
        code: "BUNDLE_UNLISTED",
        message: expect.stringContaining(extra.name) as string,
      });
    }
    const early = [...signed.slice(0, 3), extra, ...signed.slice(3)];
    await expect(readAll(early, seekable)).rejects.toMatchObject({
      code: seekable ? "BUNDLE_UNLISTED" : "BUNDLE_MALFORMED",
    });
  });

  it("refuses a file of another name, and does not let it write to the terminal", async () => {
    const odd = { name: "blobs/\u001b[2J", bytes: Buffer.from("x") };
    await expect(readAll([...signed, odd], seekable)).rejects.toMatchObject({
      code: "BUNDLE_UNLISTED",
      message: expect.stringContaining("blobs/\\u{1b}[2J") as string,
    });
  });

  it("refuses a name that comes twice", async () => {
    for (const at of [1, 3, METADATA]) {
      const again = signed[at] ?? { name: "", bytes: Buffer.alloc(0) };
      await expect(readAll([...signed, again], seekable)).rejects.toMatchObject({
        code: seekable
          ? "BUNDLE_MALFORMED"
          : (expect.stringMatching(/BUNDLE_(MALFORMED|UNLISTED)/) as string),
      });
    }
  });

  it("M3: refuses a bundle that lacks a file, naming every path that goes with it", async () => {
    const at = signed.findIndex(
      ({ name }) => name === blobName(digestOf(SAMPLE_CONTENTS.get(SERVER_PATH) ?? "")),
    );
    await expect(readAll(without(signed, at), seekable)).rejects.toMatchObject({
      code: "BUNDLE_TRUNCATED",
      message: expect.stringMatching(/1 of 3 files/) as string,
      details: { absent: expect.arrayContaining([SERVER_PATH]) as string[] },
    });
  });

  it("refuses a bundle that lacks a part of its metadata", async () => {
    for (let at = 0; at < METADATA; at++) {
      await expect(readAll(without(signed, at), seekable)).rejects.toMatchObject({
        code: expect.stringMatching(/^BUNDLE_(TRUNCATED|MALFORMED)$/) as string,
      });
    }
    await expect(readAll([], seekable)).rejects.toMatchObject({ code: "BUNDLE_TRUNCATED" });
  });

  it("M3: refuses a bundle that is cut anywhere, saying what is absent", async () => {
    const metadata = signed.slice(0, METADATA).reduce((sum, { bytes }) => sum + bytes.length, 0);
    const total = signed.reduce((sum, { bytes }) => sum + bytes.length, 0);
    for (let cutAfter = 0; cutAfter < total; cutAfter += 97) {
      const source = memorySource(signed, { seekable, label: "x.tar", cutAfter });
      const reading = openBundle(source, trust).then(async (opened) => {
        for await (const { entry } of opened.files()) await drain(entry.stream());
      });
      await expect(reading).rejects.toMatchObject({
        code: "BUNDLE_TRUNCATED",
        ...(cutAfter >= metadata
          ? { message: expect.stringMatching(/^x\.tar is incomplete: \d of 3 files/) as string }
          : {}),
      });
    }
  });

  it("refuses a file of another size than listed", async () => {
    const files = signed.map((file, at) =>
      at === METADATA ? { ...file, bytes: Buffer.concat([file.bytes, Buffer.from("x")]) } : file,
    );
    await expect(readAll(files, seekable)).rejects.toMatchObject({ code: "SIZE_MISMATCH" });
  });

  it.each([
    [
      "a newer format",
      { documentText: (text: string) => text.replace('"formatVersion":1', '"formatVersion":2') },
      "format version is 2",
    ],
    ["white space in the document", { documentText: (text: string) => `${text} ` }, "canonical JSON"],
    [
      "an unknown key in the document",
      { documentText: (text: string) => text.replace("{", '{"aa":1,') },
      "its document is malformed",
    ],
    [
      "a path that climbs out",
      { documentText: (text: string) => text.replaceAll("example/copies", "../../copies") },
      "its document is malformed",
    ],
    [
      "a document that is no JSON",
      { documentText: (text: string) => text.slice(1) },
      "its document is not JSON",
    ],
    [
      "a manifest that is no JSON",
      { manifestText: (text: string) => text.slice(1) },
      "its manifest is not JSON",
    ],
    [
      "a manifest of other layers",
      {
        manifestText: (text: string) =>
          text.replace(/\{"annotations":\{"[^}]*EMPTY[^}]*\}[^}]*\},?/, "").replace(",]", "]"),
      },
      "does not list what its document names",
    ],
    [
      "a manifest with a key more",
      { manifestText: (text: string) => text.replace("{", '{"aa":1,') },
      "does not list what its document names",
    ],
  ])("refuses what is signed and yet wrong: %s", async (_name, change, words) => {
    await expect(readAll(forge(sampleDocument(), change), seekable)).rejects.toMatchObject({
      code: "BUNDLE_MALFORMED",
      message: expect.stringContaining(words) as string,
    });
  });

  it("refuses a signed document that contradicts itself", async () => {
    const forged = forge(sampleDocument({ recipes: [] }), {});
    await expect(readAll(forged, seekable)).rejects.toMatchObject({
      code: "BUNDLE_MALFORMED",
      message: expect.stringContaining("has no recipe in the document") as string,
    });
  });

  it.each([
    ["no JSON", "{", "index.json is not JSON"],
    ["JSON of another shape", "[]", "index.json is malformed"],
    ["an empty index", '{"schemaVersion":2,"manifests":[]}', "index.json lists no manifest"],
    [
      "an image's",
      `{"schemaVersion":2,"manifests":[{"mediaType":"m","digest":"${digestOf("x")}","size":1}]}`,
      "another kind of OCI layout",
    ],
    [
      "of three manifests",
      `{"schemaVersion":2,"manifests":[${Array(3)
        .fill(`{"mediaType":"m","digest":"${digestOf("x")}","size":1}`)
        .join()}]}`,
      "index.json lists 3 manifests",
    ],
  ])("refuses an index.json that is %s", async (_name, text, words) => {
    const files = signed.map((file) =>
      file.name === "index.json" ? { ...file, bytes: Buffer.from(text) } : file,
    );
    await expect(readAll(files, seekable)).rejects.toMatchObject({
      code: "BUNDLE_MALFORMED",
      message: expect.stringContaining(words) as string,
    });
  });

  it("says of a folder or tar of something else that it is no bundle", async () => {
    await expect(
      readAll([{ name: "README.md", bytes: Buffer.from("hello") }], seekable),
    ).rejects.toMatchObject({ code: "BUNDLE_MALFORMED" });
  });

  it("passes on what the source says of itself", async () => {
    const source = memorySource(signed, { seekable });
    const broken = {
      ...source,
      entries: () => {
        throw new TypeError("the source broke");
      },
    };
    await expect(openBundle(broken, trust)).rejects.toThrow("the source broke");
  });
});

describe("the order of a bundle's files", () => {
  const reordered = [...signed.slice(METADATA), ...signed.slice(0, METADATA)];

  it("does not matter where the source is seekable", async () => {
    expect((await readAll(reordered, true)).document.name).toBe("site-a");
  });

  it("matters in a stream: nothing is taken before the signature has been seen", async () => {
    await expect(readAll(reordered, false)).rejects.toMatchObject({
      code: "BUNDLE_MALFORMED",
      hint: expect.stringContaining("as a file") as string,
    });
    const fileTooEarly = [...signed.slice(0, 3), ...signed.slice(METADATA), ...signed.slice(3, METADATA)];
    await expect(readAll(fileTooEarly, false)).rejects.toMatchObject({ code: "BUNDLE_MALFORMED" });
  });
});
