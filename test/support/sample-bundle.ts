import type { BundleDocument, CarriedFile, CarriedRelease } from "../../src/bundle/document.ts";
import { type RenderedBundle, renderBundle } from "../../src/bundle/manifest.ts";
import { digestOf } from "../../src/lib/digest.ts";
import type { KeyAlgorithm } from "../../src/trust/key-id.ts";
import { generateKeyPair } from "../../src/trust/keys.ts";
import { loadSigner, type Signer } from "../../src/trust/signer.ts";
import { loadVerifier, type Verifier } from "../../src/trust/verifier.ts";
import { blobName } from "../../src/wire/oci.ts";
import type { MemoryFile } from "./memory-source.ts";

const REPO = "ggml-org/llama.cpp";
const TAG = "b11347";
const SERVER = "llama-b11347-bin-ubuntu-x64.tar.gz";
const WHEEL = "vllm-0.30.0+cu129-cp38-abi3-manylinux_2_31_x86_64.whl";

export const SERVER_PATH = `${REPO}/releases/download/${TAG}/${SERVER}`;
export const WHEEL_PATH = `vllm-project/vllm/releases/download/v0.30.0/${WHEEL}`;
/** Of the same content as the server archive. */
export const COPY_PATH = `example/copies/releases/download/v1/${SERVER}`;
export const EMPTY_PATH = "example/copies/releases/download/v1/EMPTY";

/** What the sample bundle carries, by mirror path: one content under two paths, an empty file, a `+` in a name. */
export const SAMPLE_CONTENTS: ReadonlyMap<string, Buffer> = new Map([
  [SERVER_PATH, Buffer.from("the llama server archive ".repeat(40))],
  [WHEEL_PATH, Buffer.from("a wheel, really a zip ".repeat(30))],
  [COPY_PATH, Buffer.from("the llama server archive ".repeat(40))],
  [EMPTY_PATH, Buffer.alloc(0)],
]);

function carried(path: string, bytes: Buffer): CarriedFile {
  return {
    path,
    digest: digestOf(bytes),
    size: bytes.length,
    url: `https://github.com/${path.split("/").map(encodeURIComponent).join("/")}`,
    updatedAt: "2026-11-02T10:00:00Z",
    trust: path === WHEEL_PATH ? "checksum-file" : "github",
  };
}

export function sampleRelease(contents: ReadonlyMap<string, Buffer> = SAMPLE_CONTENTS): CarriedRelease {
  const bytes = contents.get(SERVER_PATH) ?? Buffer.alloc(0);
  return {
    repo: REPO,
    id: 7,
    nodeId: "RE_7",
    tag: TAG,
    name: TAG,
    targetCommitish: "master",
    prerelease: true,
    immutable: false,
    createdAt: "2026-11-02T09:00:00Z",
    publishedAt: "2026-11-02T10:00:00Z",
    assets: [
      {
        id: 70,
        nodeId: "RA_70",
        name: SERVER,
        label: null,
        contentType: "application/gzip",
        size: bytes.length,
        digest: digestOf(bytes),
        createdAt: "2026-11-02T09:30:00Z",
        updatedAt: "2026-11-02T10:00:00Z",
      },
    ],
  };
}

/** A document of the sample's contents. It is sound; tests replace what they want to be wrong. */
export function sampleDocument(
  changes: Partial<BundleDocument> = {},
  contents: ReadonlyMap<string, Buffer> = SAMPLE_CONTENTS,
): BundleDocument {
  return {
    formatVersion: 1,
    name: "site-a",
    counter: 3,
    created: "2026-11-02T10:00:00Z",
    spec: { name: "site-a" },
    recipes: [
      {
        engine: "llamacpp",
        recipe: {
          label: "llama.cpp",
          github: REPO,
          versions: { pattern: "^b[0-9]+$", ordering: "number", example: TAG, tag: "{version}" },
          arch: { amd64: "x64" },
          builds: [
            { variant: "cpu", binary: "llama-server", assets: ["llama-{version}-bin-ubuntu-{arch}.tar.gz"] },
          ],
        },
      },
    ],
    builds: [
      {
        engine: "llamacpp",
        version: TAG,
        arch: "amd64",
        variant: "cpu",
        build: { variant: "cpu", binary: "llama-server", assets: [SERVER] },
        needs: { nvidia: false },
        files: [SERVER_PATH],
      },
    ],
    files: [...contents].map(([path, bytes]) => carried(path, bytes)),
    releases: [sampleRelease(contents)],
    missing: [],
    ...changes,
  };
}

/** A key pair, both halves loaded. */
export interface LoadedPair {
  signer: Signer;
  verifier: Verifier;
  publicPem: string;
  privatePem: string;
}

export function newPair(algorithm: KeyAlgorithm = "ed25519"): LoadedPair {
  const { publicPem, privatePem } = generateKeyPair({ algorithm });
  return {
    signer: loadSigner(privatePem, "test.key"),
    verifier: loadVerifier(publicPem, "test.pub"),
    publicPem,
    privatePem,
  };
}

/** All files of a bundle in the order of its tar. */
export function bundleFilesOf(
  rendered: RenderedBundle,
  contents: ReadonlyMap<string, Buffer> = SAMPLE_CONTENTS,
): MemoryFile[] {
  const blobs = rendered.blobs.map(({ digest, paths }) => ({
    name: blobName(digest),
    bytes: contents.get(paths[0] ?? "") ?? Buffer.alloc(0),
  }));
  return [...rendered.metadata.map(({ name, bytes }) => ({ name, bytes })), ...blobs];
}

/** The sample bundle, signed with the given keys, as files. */
export function sampleBundle(
  signers: readonly Signer[],
  document: BundleDocument = sampleDocument(),
): MemoryFile[] {
  return bundleFilesOf(renderBundle(document, signers));
}
