import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/lib/digest.ts";
import {
  blobName,
  Descriptor,
  IMAGE_LAYOUT_JSON,
  ImageLayout,
  Index,
  Manifest,
  parseBlobName,
} from "../../src/wire/oci.ts";

const DIGEST = digestOf("x");
const HEX = DIGEST.slice(7);

describe("blob names", () => {
  it("go both ways", () => {
    expect(blobName(DIGEST)).toBe(`blobs/sha256/${HEX}`);
    expect(parseBlobName(blobName(DIGEST))).toBe(DIGEST);
  });

  it.each([
    "index.json",
    `blobs/sha256/${HEX}0`,
    `blobs/sha256/${HEX.slice(1)}`,
    `blobs/sha256/${HEX.toUpperCase()}`,
    `blobs/sha512/${HEX}`,
    `./blobs/sha256/${HEX}`,
    `blobs/sha256/${HEX}/`,
    "blobs/sha256/",
  ])("are nothing else: %s", (name) => {
    expect(parseBlobName(name)).toBeUndefined();
  });
});

describe("shapes", () => {
  const descriptor = { mediaType: "text/plain", digest: DIGEST, size: 1 };

  it("reads what it writes", () => {
    expect(ImageLayout.parse(JSON.parse(IMAGE_LAYOUT_JSON))).toEqual({ imageLayoutVersion: "1.0.0" });
  });

  it.each([
    { ...descriptor, digest: "sha256:abc" },
    { ...descriptor, digest: `sha512:${HEX}` },
    { ...descriptor, size: -1 },
    { ...descriptor, size: 1.5 },
    { ...descriptor, annotations: { a: 1 } },
  ])("refuses a descriptor such as %j", (value) => {
    expect(Descriptor.safeParse(value).success).toBe(false);
  });

  it("refuses a manifest or an index of another schema", () => {
    const manifest = {
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      config: descriptor,
      layers: [],
    };
    expect(Manifest.safeParse(manifest).success).toBe(true);
    expect(Manifest.safeParse({ ...manifest, schemaVersion: 1 }).success).toBe(false);
    expect(
      Manifest.safeParse({ ...manifest, mediaType: "application/vnd.docker.distribution.manifest.v2+json" })
        .success,
    ).toBe(false);
    expect(Index.safeParse({ schemaVersion: 2, manifests: [descriptor] }).success).toBe(true);
    expect(Index.safeParse({ schemaVersion: 1, manifests: [] }).success).toBe(false);
  });
});
