import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BundleDocument, CarriedRelease } from "../../src/bundle/document.ts";
import { renderBundle } from "../../src/bundle/manifest.ts";
import { type Digest, digestOf, hexOf } from "../../src/lib/digest.ts";
import type { Signer } from "../../src/trust/signer.ts";
import { releaseAssetPath } from "../../src/wire/github.ts";
import { IMAGE_LAYOUT_JSON, INDEX_FILE, Index, LAYOUT_FILE } from "../../src/wire/oci.ts";
import {
  ANNOTATION_IMPORTED_AT,
  ANNOTATION_SIGNED_BY,
  ANNOTATION_YIELDS,
  DOES_YIELD,
  SIGNED_BY_NOBODY,
} from "../../src/wire/store-annotations.ts";
import { sampleDocument } from "./sample-bundle.ts";

/** A release for a test bundle: asset names with their content. */
export interface TestRelease {
  repo: string;
  tag: string;
  assets: Readonly<Record<string, string | Buffer>>;
  /** Default false. */
  prerelease?: boolean;
  name?: string | null;
  /** Day of November 2026 on which it was made (default 2). */
  day?: number;
}

export interface TestBundle {
  name: string;
  counter?: number;
  releases?: readonly TestRelease[];
  /** Further files, by mirror path. */
  files?: Readonly<Record<string, string | Buffer>>;
  /** Replaces parts of the document. */
  document?: Partial<BundleDocument>;
}

export interface ImportNotes {
  signers?: readonly Signer[];
  importedAt?: string;
  yields?: boolean;
  /** Mirror paths whose content does not come along. */
  without?: readonly string[];
}

/** A mirror's store, written as an importer leaves it, without one. */
export interface ServedStore {
  root: string;
  blob(digest: Digest): string;
  add(bundle: TestBundle, notes?: ImportNotes): Promise<BundleDocument>;
  /** Brings the content of a path that was left out. */
  bring(bundle: TestBundle, path: string): Promise<void>;
  remove(name: string): Promise<void>;
}

const WHEN = "2026-11-03T08:00:00.000Z";

/** An empty store under `root`, which need not exist. */
export async function servedStore(root: string): Promise<ServedStore> {
  const blob = (digest: Digest): string => join(root, "blobs", "sha256", hexOf(digest));
  await mkdir(join(root, "blobs", "sha256"), { recursive: true });
  await writeFile(join(root, LAYOUT_FILE), IMAGE_LAYOUT_JSON);
  await writeIndex(root, { schemaVersion: 2, manifests: [] });
  return {
    root,
    blob,
    add: async (bundle, notes = {}) => {
      const { signers = [], without = [] } = notes;
      const { document, contents } = makeDocument(bundle);
      const rendered = renderBundle(document, signers);
      for (const { name, bytes } of rendered.metadata) {
        if (name.startsWith("blobs/")) await writeFile(join(root, name), bytes);
      }
      const left = new Set(without.map((path) => digestOf(contents.get(path) ?? "")));
      for (const bytes of contents.values()) {
        const digest = digestOf(bytes);
        if (!left.has(digest)) await writeFile(blob(digest), bytes);
      }
      const [own, ...signature] = Index.parse(JSON.parse(rendered.indexBytes.toString("utf8"))).manifests;
      if (own === undefined) throw new Error("a rendered bundle has an index entry");
      const annotations = { ...own.annotations, ...noted(notes) };
      const index = await readIndex(root);
      const manifests = [...index.manifests, { ...own, annotations }, ...signature];
      await writeIndex(root, { ...index, manifests });
      return document;
    },
    bring: async (bundle, path) => {
      const bytes = makeDocument(bundle).contents.get(path) ?? Buffer.alloc(0);
      await writeFile(blob(digestOf(bytes)), bytes);
    },
    remove: async (name) => {
      const index = await readIndex(root);
      const manifests = index.manifests.filter(
        ({ annotations = {} }) => !Object.values(annotations).some((value) => value.startsWith(`${name}-`)),
      );
      await writeIndex(root, { ...index, manifests });
    },
  };
}

function noted({ signers = [], importedAt = WHEN, yields = false }: ImportNotes): Record<string, string> {
  return {
    [ANNOTATION_IMPORTED_AT]: importedAt,
    [ANNOTATION_SIGNED_BY]: signers.map(({ keyId }) => keyId).join(",") || SIGNED_BY_NOBODY,
    ...(yields ? { [ANNOTATION_YIELDS]: DOES_YIELD } : {}),
  };
}

async function readIndex(root: string): Promise<Index> {
  return Index.parse(JSON.parse(await readFile(join(root, INDEX_FILE), "utf8")));
}

/** Replaces index.json in one step, as an importer does. */
async function writeIndex(root: string, index: Index): Promise<void> {
  const beside = join(root, `.${INDEX_FILE}.tmp`);
  await writeFile(beside, JSON.stringify(index));
  await rename(beside, join(root, INDEX_FILE));
}

function makeDocument(bundle: TestBundle): { document: BundleDocument; contents: Map<string, Buffer> } {
  const contents = new Map<string, Buffer>();
  for (const [path, content] of Object.entries(bundle.files ?? {})) contents.set(path, Buffer.from(content));
  for (const { repo, tag, assets } of bundle.releases ?? []) {
    for (const [name, content] of Object.entries(assets)) {
      contents.set(releaseAssetPath(repo, tag, name), Buffer.from(content));
    }
  }
  const document = sampleDocument(
    {
      name: bundle.name,
      counter: bundle.counter ?? 1,
      builds: [],
      releases: (bundle.releases ?? []).map(carriedRelease),
      ...bundle.document,
    },
    contents,
  );
  return { document, contents };
}

function carriedRelease(release: TestRelease): CarriedRelease {
  const { repo, tag, assets, prerelease = false, name = tag, day = 2 } = release;
  const date = `2026-11-${String(day).padStart(2, "0")}`;
  return {
    repo,
    id: numberOf(`${repo} ${tag}`),
    nodeId: `RE_${tag}`,
    tag,
    name,
    targetCommitish: "master",
    prerelease,
    immutable: false,
    createdAt: `${date}T09:00:00Z`,
    publishedAt: `${date}T10:00:00Z`,
    assets: Object.entries(assets)
      .map(([asset, content]) => ({
        id: numberOf(`${repo} ${tag} ${asset}`),
        nodeId: `RA_${asset}`,
        name: asset,
        label: null,
        contentType: "application/gzip",
        size: Buffer.byteLength(content),
        digest: digestOf(Buffer.from(content)),
        createdAt: `${date}T09:30:00Z`,
        updatedAt: `${date}T10:00:00Z`,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** A number that stands for a text: GitHub's ids differ, and so do these. */
function numberOf(text: string): number {
  return Number.parseInt(hexOf(digestOf(text)).slice(0, 12), 16);
}

/** Puts other bytes under a blob's name. */
export async function damage(file: string): Promise<void> {
  await rm(file);
  await writeFile(file, "not what it was");
}
