import type { Arch } from "../../src/bundle/document-values.ts";
import type { Catalog } from "../catalog.ts";
import { type PythonCatalogBuild, pythonBuilds } from "../python/carried-lock.ts";
import { lockPaths } from "../python/lock-paths.ts";
import { SIMPLE } from "../python/python-catalog.ts";
import { hostOf } from "./host.ts";
import { shellWord } from "./shell-word.ts";
import type { Site } from "./site.ts";

/** Everything about Python on the page at `/`. */
export interface PythonModel {
  indexes: { address: string; projects: number }[];
  locks: LockModel[];
  /** By engine's label. */
  notCarried: { engine: string; what: string[] }[];
  /** How the newest lock is used, and how a node resolves by itself. */
  ways: { what: string; text: string }[];
}

export interface LockModel {
  /** `vLLM 0.30.0` */
  title: string;
  variant: string;
  arch: Arch;
  python: string;
  packages: number;
  bytes: number;
  glibc: string;
  /** ISO 8601. */
  frozen: string;
  /** Whether the builder resolved it again from the bundle alone. */
  proven: boolean;
  complete: boolean;
  pylock: string;
  folder: string;
}

/** A mirror of some years holds many. */
const LOCKS_SHOWN = 40;

export function pythonModel(catalog: Catalog, site: Site): PythonModel | undefined {
  const { python, recipes, bundles } = catalog;
  if (python === undefined) return undefined;
  const { base } = site;
  const builds = pythonBuilds(catalog).reverse();
  const label = (engine: string): string => recipes.get(engine)?.label ?? engine;
  const notes = new Map<string, Set<string>>();
  for (const { engine, what } of bundles.flatMap(({ document }) => document.python?.notCarried ?? [])) {
    notes.set(engine, (notes.get(engine) ?? new Set()).add(what));
  }
  return {
    indexes: [...python.indexes]
      .filter(([, projects]) => projects.size > 0)
      .map(([folder, projects]) => ({ address: `${base}/${folder}/`, projects: projects.size })),
    locks: builds.slice(0, LOCKS_SHOWN).map((build) => ({
      title: `${label(build.engine)} ${build.version}`,
      variant: build.variant,
      arch: build.arch,
      python: build.python.version,
      packages: build.python.packages,
      bytes: build.python.bytes,
      glibc: build.python.glibc,
      frozen: build.python.excludeNewer,
      proven: build.proven,
      complete: build.complete,
      ...lockPaths(base, build),
    })),
    notCarried: [...notes].map(([engine, what]) => ({ engine: label(engine), what: [...what] })),
    ways: waysOf(builds, catalog, base),
  };
}

function waysOf(
  builds: readonly PythonCatalogBuild[],
  { python }: Catalog,
  base: string,
): PythonModel["ways"] {
  const example =
    builds.find(({ complete, arch }) => complete && arch === "amd64") ??
    builds.find(({ complete }) => complete);
  const simple = python?.indexes.get(SIMPLE);
  const host = hostOf(base);
  // Plain http is nothing to uv; pip wants to be told that this host may be asked so.
  const trusted =
    base.startsWith("http://") && host !== undefined ? ` --trusted-host ${shellWord(host)}` : "";
  const ways: PythonModel["ways"] = [];
  if (example !== undefined) {
    const { pylock, folder } = lockPaths(base, example);
    const name = `${example.engine}-${example.version}`;
    ways.push(
      {
        what: "The carried lock with uv",
        text: `uv venv --python ${example.python.version} ${shellWord(name)}\nuv pip install --python ${shellWord(name)} --require-hashes -r ${shellWord(pylock)}`,
      },
      { what: "The same with pip 26.3 and newer", text: `pip install${trusted} -r ${shellWord(pylock)}` },
      {
        what: "As a folder of wheels, for a node that reaches no server",
        text: `mkdir ${shellWord(name)} && curl -fSL ${shellWord(folder)} | tar -xC ${shellWord(name)}\nuv pip install --require-hashes -r ${shellWord(`${name}/pylock.toml`)}`,
      },
    );
  }
  if (simple !== undefined && simple.size > 0) {
    const index = shellWord(`${base}/simple`);
    const [first = ""] = example === undefined ? simple.keys() : [example.engine];
    const project = simple.has(first) ? first : ([...simple.keys()][0] ?? "");
    ways.push(
      { what: "A project with uv sync, resolved here", text: `UV_DEFAULT_INDEX=${index} uv sync` },
      {
        what: "One package with pip",
        text: `pip install --index-url ${index}${trusted} ${shellWord(project)}`,
      },
    );
  }
  return ways;
}
