import type { BundleDocument, CarriedFile } from "../../src/bundle/document.ts";
import {
  type CarriedInterpreter,
  type CarriedWheel,
  metadataPath,
  type Publication,
  type PythonPart,
  type WheelIndex,
} from "../../src/bundle/document-python.ts";
import type { Digest } from "../../src/lib/digest.ts";
import { lastPart } from "../../src/lib/last-part.ts";
import { canonicalVersion } from "../../src/wire/pep440.ts";

/** A wheel that is here, as its project's page lists it. */
export interface IndexedWheel {
  wheel: CarriedWheel;
  filename: string;
  digest: Digest;
  size: number;
  /** Of the metadata beside it; undefined where that is not served, or is another's. */
  metadata: Digest | undefined;
}

/** Wheels by normalised project name, each project's by file name; projects in the order of their names. */
export type ProjectWheels = ReadonlyMap<string, readonly IndexedWheel[]>;

/** Everything that the mirror says about Python, merged over all bundles. */
export interface PythonCatalog {
  /** By the folder of their pages: `simple`, `whl/cu129`. The first is always there. */
  indexes: ReadonlyMap<string, ProjectWheels>;
  /** Every wheel that is here, those on no index too. */
  projects: ProjectWheels;
  /** Releases as they were when bundles were built, by project and canonical version; the last imported counts. */
  publications: ReadonlyMap<string, ReadonlyMap<string, Publication>>;
  interpreters: readonly CatalogInterpreter[];
}

export interface CatalogInterpreter {
  interpreter: CarriedInterpreter;
  digest: Digest;
}

export const SIMPLE = "simple";

/** What one bundle says, with the files of it that are served as it lists them. */
interface Part {
  python: PythonPart;
  here: (path: string) => CarriedFile | undefined;
}

/**
 * Merges what bundles say about Python; undefined where none says anything, so that a mirror without Python pays nothing.
 * `documents` are in the order in which they count, the last most, and `served` gives the file that is served at a
 * path: what a bundle lists and another bundle has replaced, or what has not been imported yet, stands on no page.
 */
export function mergePython(
  documents: readonly BundleDocument[],
  served: (path: string) => CarriedFile | undefined,
): PythonCatalog | undefined {
  const parts = documents.flatMap(({ python, files }): Part[] => {
    if (python === undefined) return [];
    const own = new Map(files.map(({ path, digest }) => [path, digest]));
    const here = (path: string): CarriedFile | undefined => {
      const file = served(path);
      return file !== undefined && file.digest === own.get(path) ? file : undefined;
    };
    return [{ python, here }];
  });
  if (parts.length === 0) return undefined;
  const wheels = parts.flatMap(({ python, here }) =>
    python.wheels.flatMap((wheel) => indexedWheel(wheel, here) ?? []),
  );
  return {
    indexes: indexesOf(wheels),
    projects: byProject(new Map(wheels.map((indexed) => [indexed.wheel.path, indexed])).values()),
    publications: publicationsOf(parts),
    interpreters: interpretersOf(parts),
  };
}

function indexedWheel(wheel: CarriedWheel, here: Part["here"]): IndexedWheel | undefined {
  const file = here(wheel.path);
  if (file === undefined) return undefined;
  const filename = lastPart(wheel.path);
  const metadata = here(metadataPath(wheel.path))?.digest === wheel.metadata ? wheel.metadata : undefined;
  return { wheel, filename, digest: file.digest, size: file.size, metadata };
}

function indexesOf(wheels: readonly IndexedWheel[]): Map<string, ProjectWheels> {
  const indexes = new Map<string, Map<string, IndexedWheel>>([[SIMPLE, new Map()]]);
  for (const indexed of wheels) {
    const folder = folderOf(indexed.wheel.index);
    if (folder === undefined) continue;
    const index = indexes.get(folder) ?? new Map<string, IndexedWheel>();
    // A page lists a file name once, wherever the bundles put the file.
    indexes.set(folder, index.set(indexed.filename, indexed));
  }
  return new Map([...indexes].map(([folder, index]) => [folder, byProject(index.values())]));
}

function publicationsOf(parts: readonly Part[]): Map<string, Map<string, Publication>> {
  const publications = new Map<string, Map<string, Publication>>();
  for (const publication of parts.flatMap(({ python }) => python.publications)) {
    const releases = publications.get(publication.project) ?? new Map<string, Publication>();
    publications.set(publication.project, releases.set(canonicalVersion(publication.version), publication));
  }
  return publications;
}

function interpretersOf(parts: readonly Part[]): CatalogInterpreter[] {
  const interpreters = new Map<string, CatalogInterpreter>();
  for (const { python, here } of parts) {
    for (const interpreter of python.interpreters) {
      const file = here(interpreter.path);
      if (file !== undefined) interpreters.set(interpreter.key, { interpreter, digest: file.digest });
    }
  }
  return [...interpreters.values()];
}

function folderOf(index: WheelIndex): string | undefined {
  switch (index.kind) {
    case "default":
      return SIMPLE;
    case "extra":
      return `whl/${index.name}`;
    case "none":
      return undefined;
  }
}

function byProject(wheels: Iterable<IndexedWheel>): ProjectWheels {
  const projects = new Map<string, IndexedWheel[]>();
  for (const indexed of [...wheels].sort(byName)) {
    const { project } = indexed.wheel;
    const known = projects.get(project);
    if (known === undefined) projects.set(project, [indexed]);
    else known.push(indexed);
  }
  return projects;
}

function byName(a: IndexedWheel, b: IndexedWheel): number {
  const [one, other] = [a.wheel.project, b.wheel.project];
  if (one !== other) return one < other ? -1 : 1;
  return a.filename < b.filename ? -1 : a.filename > b.filename ? 1 : 0;
}
