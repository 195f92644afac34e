import { readWheelMetadata } from "../../archive/wheel-metadata.ts";
import { FerryError } from "../../errors.ts";
import type { LocalBlobStore } from "../../store/blob-store.ts";
import { parseCoreMetadata } from "../../wire/core-metadata.ts";
import { canonicalVersion } from "../../wire/pep440.ts";
import { normaliseProject } from "../../wire/wheel-name.ts";
import type { CarriedWheel } from "../document-python.ts";
import { metadataPath } from "../document-python.ts";
import type { FetchedFile } from "../fetch.ts";
import type { Plan } from "../plan.ts";
import { mustHave } from "./must-have.ts";
import { lockPath } from "./paths.ts";
import type { PlannedWheel } from "./planned.ts";
import { renderLockOf } from "./render-lock.ts";

/** What a bundle's Python part is made of besides what was fetched. */
export interface ProducedPython {
  /** Metadata of the wheels and locks of the builds, in the store. */
  files: FetchedFile[];
  /** Sorted by path. */
  wheels: CarriedWheel[];
}

/**
 * Takes the metadata out of every fetched wheel, and writes each build's lock: both become files of the bundle, signed with
 * it. Throws PYTHON_WHEEL where a wheel is not what its name says, and PYTHON_INTERPRETER.
 */
export async function producePython(
  plan: Plan,
  fetched: readonly FetchedFile[],
  store: LocalBlobStore,
): Promise<ProducedPython> {
  const byPath = new Map(fetched.map((file) => [file.path, file]));
  await checkInterpreters(plan, byPath, store);
  const wheels = new Map<string, CarriedWheel>();
  const files: FetchedFile[] = [];
  for (const { python } of plan.builds) {
    for (const planned of python?.wheels ?? []) {
      const file = mustHave(byPath, planned.artifact.path);
      if (wheels.has(file.path)) continue;
      const made = await extract(planned, file, store);
      wheels.set(file.path, made.wheel);
      files.push(made.metadata);
    }
  }
  for (const build of plan.builds) {
    if (build.python === undefined) continue;
    const bytes = Buffer.from(renderLockOf(build.python, byPath));
    const digest = await store.putSmall(bytes);
    const path = lockPath(build);
    const { published } = build.python.resolution;
    files.push({
      path,
      url: `made:${path}`,
      size: bytes.length,
      digest,
      trust: "made",
      updatedAt: published,
    });
  }
  return { files, wheels: [...wheels.values()].sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

/** GitHub's digest was checked when it was fetched; uv's own table has one too, and a node's uv refuses what differs. */
async function checkInterpreters(
  plan: Plan,
  fetched: ReadonlyMap<string, FetchedFile>,
  store: LocalBlobStore,
): Promise<void> {
  const checked = new Set<string>();
  for (const { python } of plan.builds) {
    if (python === undefined) continue;
    const file = mustHave(fetched, python.interpreter.artifact.path);
    if (checked.has(file.path)) continue;
    checked.add(file.path);
    await python.interpreter.check(store.pathOf(file.digest));
  }
}

async function extract(
  { package: locked, file }: PlannedWheel,
  fetched: FetchedFile,
  store: LocalBlobStore,
): Promise<{ wheel: CarriedWheel; metadata: FetchedFile }> {
  const bytes = await readWheelMetadata(store.pathOf(fetched.digest), fetched.path);
  const said = parseCoreMetadata(bytes.toString("utf8"));
  if (
    said === undefined ||
    normaliseProject(said.name) !== locked.name ||
    !sameVersion(said.version, locked.version)
  ) {
    const found = said === undefined ? "no name or version" : `${said.name} ${said.version}`;
    throw new FerryError(
      "PYTHON_WHEEL",
      `${fetched.path}: its metadata says ${found}, expected ${locked.name} ${locked.version}`,
      { hint: "Clients refuse such a wheel. Ask for another version.", details: { path: fetched.path } },
    );
  }
  const digest = await store.putSmall(bytes);
  const wheel: CarriedWheel = {
    path: fetched.path,
    project: locked.name,
    version: locked.version,
    index: file.index,
    uploadedAt: file.uploadedAt,
    ...(file.claimedUploadedAt === undefined ? {} : { claimedUploadedAt: file.claimedUploadedAt }),
    ...(said.requiresPython === undefined ? {} : { requiresPython: said.requiresPython }),
    ...(locked.yanked === undefined ? {} : { yanked: locked.yanked }),
    metadata: digest,
  };
  const metadata: FetchedFile = {
    path: metadataPath(fetched.path),
    url: `${fetched.url}.metadata`,
    size: bytes.length,
    digest,
    trust: "extracted",
    updatedAt: file.uploadedAt,
  };
  return { wheel, metadata };
}

function sameVersion(a: string, b: string): boolean {
  return a === b || canonicalVersion(a) === canonicalVersion(b);
}
