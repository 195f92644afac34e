import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BundleDocument, CarriedFile } from "../../src/bundle/document.ts";
import { type CarriedWheel, metadataPath } from "../../src/bundle/document-python.ts";
import { renderBundle } from "../../src/bundle/manifest.ts";
import { digestOf, hexOf } from "../../src/lib/digest.ts";
import { blobName, INDEX_FILE, LAYOUT_FILE } from "../../src/wire/oci.ts";

const WHEN = "2026-01-01T00:00:00Z";
/** As that of a common package. */
const METADATA = `Metadata-Version: 2.4\nName: many\nVersion: 1.0\n${"Requires-Dist: idna>=3; extra == 'x'\n".repeat(60)}\n${"What it is for. ".repeat(300)}\n`;
const WHEEL = "bytes that nobody reads here";

/** A project with so many wheels. */
export const MANY = { project: "many", files: 2000 } as const;
/** A project as most are: what its page is asked for. */
export const USUAL = { project: "usual", files: 12 } as const;
/** The list of projects has so many. */
export const PROJECTS = 1000;

export interface PythonStore {
  root: string;
  /** Mirror path of a wheel's metadata. */
  metadata: string;
}

/** A store with a Python index in it, as an import leaves it. All wheels are one content: pages are what is measured. */
export async function writePythonStore(root: string): Promise<PythonStore> {
  const wheels = [
    ...wheelsOf(MANY.project, MANY.files),
    ...wheelsOf(USUAL.project, USUAL.files),
    ...Array.from({ length: PROJECTS - 2 }, (_, at) => wheelsOf(`project-${at}`, 1)).flat(),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
  const files = wheels.flatMap(({ path }) => [carried(path, WHEEL), carried(metadataPath(path), METADATA)]);
  for (const text of [WHEEL, METADATA]) {
    const blob = join(root, blobName(digestOf(text)));
    await mkdir(dirname(blob), { recursive: true });
    await writeFile(blob, text);
  }
  for (const { name, bytes } of renderBundle(documentOf(files, wheels), []).metadata) {
    if (name.startsWith("blobs/") || name === INDEX_FILE || name === LAYOUT_FILE) {
      await writeFile(join(root, name), bytes);
    }
  }
  const usual = wheels.find(({ project }) => project === USUAL.project);
  return { root, metadata: metadataPath(usual?.path ?? "") };
}

function wheelsOf(project: string, count: number): CarriedWheel[] {
  return Array.from({ length: count }, (_, at) => {
    const version = `1.${at}`;
    const file = `${project.replaceAll("-", "_")}-${version}-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl`;
    const hex = hexOf(digestOf(file));
    return {
      path: `packages/${hex.slice(0, 2)}/${hex.slice(2, 4)}/${hex.slice(4)}/${file}`,
      project,
      version,
      index: { kind: "default" },
      uploadedAt: WHEN,
      requiresPython: ">=3.9",
      metadata: digestOf(METADATA),
    };
  });
}

function carried(path: string, content: string): CarriedFile {
  const url = `https://upstream.example/${path}`;
  return {
    path,
    digest: digestOf(content),
    size: Buffer.byteLength(content),
    url,
    updatedAt: WHEN,
    trust: "index",
  };
}

function documentOf(files: CarriedFile[], wheels: CarriedWheel[]): BundleDocument {
  return {
    formatVersion: 1,
    name: "bench",
    counter: 1,
    created: WHEN,
    spec: { name: "bench" },
    recipes: [],
    builds: [],
    files,
    releases: [],
    python: { uv: "0.12.23", closure: "skipped", wheels, publications: [], interpreters: [], notCarried: [] },
    missing: [],
  };
}
