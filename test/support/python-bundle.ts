import type { BundleDocument, CarriedBuild } from "../../src/bundle/document.ts";
import {
  type CarriedInterpreter,
  type CarriedWheel,
  metadataPath,
  type Publication,
  type PythonBuild,
  type PythonPart,
  type WheelIndex,
} from "../../src/bundle/document-python.ts";
import { digestOf, hexOf } from "../../src/lib/digest.ts";
import { Recipe } from "../../src/recipe/schema.ts";
import type { Distribution } from "./python-index/wheel.ts";
import type { TestBundle } from "./served-store.ts";

/** A wheel as a bundle carries it; whatever is left out is as it should be. */
export interface BundledWheel {
  distribution: Distribution;
  /** `simple` (the default), the name of a second index (`cu129`), or `none`: then `path` says where it is. */
  index?: string;
  path?: string;
  uploadedAt?: string;
  claimedUploadedAt?: string;
  yanked?: string | true;
}

/** A build of a Python engine, with the wheels of its lock. */
export interface BundledBuild {
  engine: string;
  version: string;
  arch?: "amd64" | "arm64";
  variant?: string;
  wheels: readonly BundledWheel[];
  python?: Partial<PythonBuild>;
  changes?: Partial<CarriedBuild>;
}

export interface PythonBundle {
  name: string;
  counter?: number;
  /** Wheels besides those of the builds. */
  wheels?: readonly BundledWheel[];
  builds?: readonly BundledBuild[];
  publications?: Publication[];
  interpreters?: CarriedInterpreter[];
  /** Further files, by mirror path: interpreters, uv, source archives. */
  files?: Readonly<Record<string, string | Buffer>>;
  python?: Partial<PythonPart>;
  document?: Partial<BundleDocument>;
}

export const UPLOADED = "2026-09-01T08:00:00Z";
export const UV_PATH = "astral-sh/uv/releases/download/0.12.23/uv-x86_64-unknown-linux-gnu.tar.gz";
export const INTERPRETER_PATH =
  "astral-sh/python-build-standalone/releases/download/20261003/cpython-3.12.15+20261003-x86_64-unknown-linux-gnu-install_only_stripped.tar.gz";

/** As a document lists what lies at INTERPRETER_PATH. */
export const INTERPRETER: CarriedInterpreter = {
  key: "cpython-3.12.15-linux-x86_64-gnu",
  arch: "amd64",
  version: "3.12.15",
  build: "20261003",
  path: INTERPRETER_PATH,
};

/**
 * A bundle with Python in it, for `servedStore().add(…)`: wheels at their mirror paths with their metadata beside them,
 * a lock for each build, and the document that says so.
 */
export function pythonBundle(bundle: PythonBundle): TestBundle {
  const files = new Map<string, string | Buffer>(Object.entries(bundle.files ?? {}));
  const builds = (bundle.builds ?? []).map((build) => carriedBuild(build, files));
  const all = [...(bundle.builds ?? []).flatMap(({ wheels }) => wheels), ...(bundle.wheels ?? [])];
  const wheels = new Map<string, CarriedWheel>();
  for (const wheel of all) {
    const path = wheelPath(wheel);
    const { bytes, metadata } = wheel.distribution;
    files.set(path, bytes);
    if (metadata !== undefined) files.set(metadataPath(path), metadata);
    wheels.set(path, carriedWheel(wheel));
  }
  const python: PythonPart = {
    uv: "0.12.23",
    closure: "proven",
    wheels: [...wheels.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
    publications: bundle.publications ?? [],
    interpreters: bundle.interpreters ?? [],
    notCarried: [],
    ...bundle.python,
  };
  return {
    name: bundle.name,
    counter: bundle.counter ?? 1,
    files: Object.fromEntries(files),
    document: { recipes: recipesOf(builds), builds, python, ...bundle.document },
  };
}

/** Where the mirror serves a wheel: by its content, under its index's name, or where it is said to be. */
export function wheelPath({ distribution, index = "simple", path }: BundledWheel): string {
  if (path !== undefined) return path;
  if (index !== "simple") return `whl/${index}/${distribution.filename}`;
  const hex = hexOf(distribution.digest);
  return `packages/${hex.slice(0, 2)}/${hex.slice(2, 4)}/${hex.slice(4)}/${distribution.filename}`;
}

export function lockPath({ engine, version, arch = "amd64", variant = "cpu" }: BundledBuild): string {
  return `locks/${engine}/${version}/${arch}/${variant}/pylock.toml`;
}

function carriedWheel(wheel: BundledWheel): CarriedWheel {
  const { distribution, index = "simple", claimedUploadedAt, yanked } = wheel;
  const { project, version, requiresPython, metadata } = distribution;
  const places: Record<string, WheelIndex> = { simple: { kind: "default" }, none: { kind: "none" } };
  return {
    path: wheelPath(wheel),
    project,
    version,
    index: places[index] ?? { kind: "extra", name: index },
    uploadedAt: wheel.uploadedAt ?? UPLOADED,
    ...(claimedUploadedAt === undefined ? {} : { claimedUploadedAt }),
    ...(requiresPython === undefined ? {} : { requiresPython }),
    ...(yanked === undefined ? {} : { yanked }),
    metadata: digestOf(metadata ?? ""),
  };
}

function carriedBuild(build: BundledBuild, files: Map<string, string | Buffer>): CarriedBuild {
  const { engine, version, arch = "amd64", variant = "cpu", wheels } = build;
  const lock = lockPath(build);
  files.set(lock, lockOf(wheels));
  const uv = build.python?.uv ?? UV_PATH;
  const interpreter = build.python?.interpreter ?? INTERPRETER_PATH;
  for (const path of [uv, interpreter]) if (!files.has(path)) files.set(path, `what is at ${path}`);
  const wheelFiles = wheels.flatMap((wheel) => {
    const path = wheelPath(wheel);
    return [path, metadataPath(path)];
  });
  return {
    engine,
    version,
    arch,
    variant,
    build: { variant, binary: engine, python: "3.12", requirements: [`${engine}==${version}`] },
    needs: { nvidia: false },
    files: [lock, uv, interpreter, ...wheelFiles],
    python: {
      version: "3.12",
      lock,
      uv,
      interpreter,
      assets: [],
      platform: `${arch === "amd64" ? "x86_64" : "aarch64"}-manylinux_2_35`,
      glibc: "2.17",
      published: UPLOADED,
      excludeNewer: "2026-09-02T08:00:00Z",
      requirements: [`${engine}==${version}`],
      packages: wheels.length,
      bytes: wheels.reduce((sum, { distribution }) => sum + distribution.bytes.length, 0),
      ...build.python,
    },
    ...build.changes,
  };
}

/** A recipe for each engine, as far as the mirror looks at it. */
function recipesOf(builds: readonly CarriedBuild[]): BundleDocument["recipes"] {
  return [...new Set(builds.map(({ engine }) => engine))].map((engine) => {
    const mine = builds.filter((build) => build.engine === engine);
    const recipe = Recipe.parse({
      label: engine,
      pypi: engine,
      versions: { pattern: "^[0-9.]+$", ordering: "pep440", example: mine[0]?.version },
      arch: { amd64: "x86_64", arm64: "aarch64" },
      builds: [...new Set(mine.map(({ variant }) => variant))].map((variant) => ({
        variant,
        binary: engine,
        python: "3.12",
        requirements: [`${engine}=={version}`],
      })),
    });
    return { engine, recipe };
  });
}

/** A carried lock, written here by hand: what the product writes is tested by itself. */
export function lockOf(wheels: readonly BundledWheel[]): string {
  const head = ['lock-version = "1.0"', 'created-by = "engine-ferry"', 'requires-python = ">=3.8"'];
  const packages = [...wheels]
    .sort((a, b) => (a.distribution.project < b.distribution.project ? -1 : 1))
    .map((wheel) => {
      const { project, version, filename, bytes, digest } = wheel.distribution;
      const fields = [
        `name = ${JSON.stringify(filename)}`,
        `path = ${JSON.stringify(wheelPath(wheel))}`,
        `upload-time = ${wheel.uploadedAt ?? UPLOADED}`,
        `size = ${bytes.length}`,
        `hashes = { sha256 = "${hexOf(digest)}" }`,
      ];
      return [
        "[[packages]]",
        `name = "${project}"`,
        `version = "${version}"`,
        `wheels = [{ ${fields.join(", ")} }]`,
      ].join("\n");
    });
  return `${head.join("\n")}\n\n${packages.join("\n\n")}\n`;
}
