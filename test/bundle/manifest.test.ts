import { describe, expect, it } from "vitest";
import type { BundleDocument } from "../../src/bundle/document.ts";
import { renderBundle } from "../../src/bundle/manifest.ts";
import { readSignatures, renderSignatures } from "../../src/bundle/signature-blobs.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { signManifest } from "../../src/trust/cosign.ts";
import { blobName, Manifest } from "../../src/wire/oci.ts";
import {
  bundleFilesOf,
  COPY_PATH,
  newPair,
  SAMPLE_CONTENTS,
  SERVER_PATH,
  sampleDocument,
  WHEEL_PATH,
} from "../support/sample-bundle.ts";

const { signer } = newPair();

function manifestOf(document: BundleDocument = sampleDocument()): Manifest {
  return Manifest.parse(JSON.parse(renderBundle(document, []).manifestBytes.toString("utf8")));
}

describe("renderBundle", () => {
  it("writes this manifest for this document: a golden value, for every change of the format is a change for readers", () => {
    const { manifestDigest, documentDigest } = renderBundle(sampleDocument(), []);
    expect({ manifestDigest, documentDigest }).toMatchInlineSnapshot(`
      {
        "documentDigest": "sha256:541a9e45b8e54401bb68868ec9b61e43fa4f19c4ea64a34d0272cd31ffd40289",
        "manifestDigest": "sha256:e7d60079c0df5bcdd98949769b00870677eba1f4042ac56e8207172d5bacfa24",
      }
    `);
  });

  it("B22: gives the same bytes for the same inputs, whatever the order of files and keys", () => {
    const other = newPair("p256").signer;
    const document = sampleDocument();
    const shuffled = { ...document, files: [...document.files].reverse() };
    const first = bundleFilesOf(renderBundle(document, [signer, other]));
    expect(bundleFilesOf(renderBundle(shuffled, [other, signer]))).toEqual(first);
  });

  it("leads with layout, index, manifest, document and signature, then every content once, sorted by digest", () => {
    const rendered = renderBundle(sampleDocument(), [signer]);
    const { signature } = rendered;
    const names = rendered.metadata.map(({ name }) => name);
    expect(names).toEqual([
      "oci-layout",
      "index.json",
      blobName(rendered.manifestDigest),
      blobName(rendered.documentDigest),
      ...[signature?.manifest, signature?.config, signature?.payload].map((bytes) =>
        blobName(digestOf(bytes ?? "")),
      ),
    ]);
    expect(rendered.blobs.map(({ digest }) => digest)).toEqual(
      rendered.blobs.map(({ digest }) => digest).sort(),
    );
    expect(rendered.blobs).toHaveLength(3);
  });

  it("lists a content under several paths once, titled with the first of them", () => {
    const layer = manifestOf().layers.find(
      ({ digest }) => digest === digestOf(SAMPLE_CONTENTS.get(SERVER_PATH) ?? ""),
    );
    expect(layer?.annotations).toEqual({ "org.opencontainers.image.title": COPY_PATH });
  });

  it("B24: titles a file with its decoded name", () => {
    const titles = manifestOf().layers.map(
      ({ annotations }) => annotations?.["org.opencontainers.image.title"],
    );
    expect(titles).toContain(WHEEL_PATH);
    expect(WHEEL_PATH).toContain("+cu129");
  });

  it("is unsigned where nobody signs", () => {
    const rendered = renderBundle(sampleDocument(), []);
    expect(rendered.signature).toBeUndefined();
    expect(rendered.metadata).toHaveLength(4);
    expect(rendered.indexBytes.toString("utf8")).not.toContain("cosign/sigs");
  });

  it("never signs a document that contradicts itself", () => {
    const document = sampleDocument({ files: [] });
    expect(() => renderBundle(document, [signer])).toThrow(
      expect.objectContaining({ code: "INTERNAL" }) as Error,
    );
  });
});

describe("signature blobs", () => {
  const manifest = digestOf("m");
  const signatures = signManifest(manifest, [signer, newPair("p256").signer]);
  const { manifest: bytes } = renderSignatures(manifest, signatures);

  it("are read back as they were written", () => {
    expect(readSignatures(bytes, manifest)).toEqual(signatures);
  });

  it("have a layer and a diff_id for every key", () => {
    expect(Manifest.parse(JSON.parse(bytes.toString("utf8"))).layers).toHaveLength(2);
    const config = renderSignatures(manifest, signatures).config.toString("utf8");
    expect((JSON.parse(config) as { rootfs: { diff_ids: string[] } }).rootfs.diff_ids).toHaveLength(2);
  });

  it.each([
    ["another manifest's", bytes, digestOf("n"), "not one of this bundle's manifest"],
    ["no JSON", Buffer.from("{"), manifest, "is not JSON"],
    ["JSON of another shape", Buffer.from("{}"), manifest, "is malformed"],
    [
      "spelled otherwise",
      Buffer.from(`${bytes.toString("utf8")}\n`),
      manifest,
      "not one of this bundle's manifest",
    ],
    [
      "a key twice",
      renderSignatures(manifest, [...signatures, ...signatures]).manifest,
      manifest,
      "names a key twice",
    ],
    ["without a signature", renderSignatures(manifest, []).manifest, manifest, "is malformed"],
  ])("are refused when they are %s", (_name, other, digest, words) => {
    expect(readSignatures(other, digest)).toContain(words);
  });
});
