import { stringify } from "yaml";
import { lastPart } from "../../src/lib/last-part.ts";
import { near } from "../../src/recipe/near.ts";
import { normaliseProject, parseWheelName } from "../../src/wire/wheel-name.ts";
import type { Catalog } from "../catalog.ts";
import { list, toCarryIt } from "../missing-words.ts";
import { pythonBuilds } from "./carried-lock.ts";
import { type PythonCatalog, SIMPLE } from "./python-catalog.ts";

/** Why a path of a Python index leads to nothing, and what would bring it; undefined where it is no such path. */
export function explainPython(catalog: Catalog, path: string, base: string): string[] | undefined {
  if (/^(?:v1\/)?locks(?:\/|$)/.test(path)) return explainLock(catalog, path);
  const asked = parseAsked(path);
  const { python } = catalog;
  if (python === undefined) {
    if (asked === undefined) return undefined;
    return ["No bundle on this mirror carries a Python index.", ...bringing(catalog, asked)];
  }
  if (asked === undefined) return wrongBase(python, path, base);
  if (asked.index !== undefined && !python.indexes.has(asked.index)) {
    return [`No bundle carries the index /${asked.index}/. Indexes here: ${indexNames(python)}.`];
  }
  if (asked.project === undefined) return ["Nothing is served at this address of the Python index."];
  return [...explainProject(python, asked, asked.project), ...bringing(catalog, asked)];
}

interface Asked {
  /** `simple`, `whl/cu129`; undefined where the address names none. */
  index?: string | undefined;
  /** Normalised. */
  project?: string | undefined;
  version?: string | undefined;
  file?: string | undefined;
}

function parseAsked(path: string): Asked | undefined {
  if (path === "python-downloads.json") return {};
  const [root, ...parts] = path.split("/");
  const name = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : normaliseProject(text);
  if (root === "simple") return { index: SIMPLE, project: name(parts[0]) };
  if (root === "pypi") return { project: name(parts[0]), version: parts.length > 2 ? parts[1] : undefined };
  if (root === "packages") return ofFile(lastPart(path));
  if (root !== "whl") return undefined;
  const file = lastPart(path);
  return {
    ...(/\.(?:whl|metadata)$/.test(file) ? ofFile(file) : { project: name(parts[1]) }),
    index: `whl/${parts[0] ?? ""}`,
  };
}

function ofFile(file: string): Asked {
  const wheel = parseWheelName(file.replace(/\.metadata$/, ""));
  if (wheel !== undefined) return { project: wheel.project, version: wheel.version, file };
  const [, project, version] = /^(.+)-(\d[^-]*)\.(?:tar\.gz|zip)$/.exec(file) ?? [];
  return { project: project === undefined ? undefined : normaliseProject(project), version, file };
}

function explainProject(python: PythonCatalog, { index, version, file }: Asked, project: string): string[] {
  const wheels = python.projects.get(project);
  if (wheels === undefined) {
    const alike = near([project], [...python.projects.keys()]);
    return [
      `No bundle carries the project ${project}.${alike.length === 0 ? "" : ` Near it: ${alike.join(", ")}.`}`,
    ];
  }
  const versions = list([...new Set(wheels.map(({ wheel }) => wheel.version))]);
  const elsewhere = [...python.indexes].flatMap(([folder, projects]) =>
    folder !== index && projects.has(project) ? [`/${folder}/${project}/`] : [],
  );
  if (file !== undefined) {
    const source = /\.(?:tar\.gz|zip)$/.test(file)
      ? " It is a source archive: of projects on an index, only wheels are carried."
      : "";
    const names = list(wheels.map(({ filename }) => filename));
    return [`No bundle carries ${file}.${source} Files of ${project} that are here: ${names}.`];
  }
  if (version !== undefined) {
    return [`No bundle carries ${project} ${version}. Versions here: ${versions}.`];
  }
  if (elsewhere.length > 0) {
    return [
      `${project} is not on the index /${index ?? SIMPLE}/, but on ${list(elsewhere)} (versions: ${versions}).`,
    ];
  }
  const paths = list(wheels.map(({ wheel }) => `/${wheel.path}`));
  return [`${project} is on no index of this mirror; its wheels are used by their addresses: ${paths}.`];
}

/** A client that was given the mirror's own address for an index asks for `/idna/`. */
function wrongBase(python: PythonCatalog, path: string, base: string): string[] | undefined {
  if (path.includes("/") || !python.projects.has(normaliseProject(path))) return undefined;
  return [
    `The index address that this client was given does not fit. It was ${base} and should be ${base}/simple: then it ` +
      `finds ${base}/simple/${normaliseProject(path)}/`,
  ];
}

function explainLock(catalog: Catalog, path: string): string[] {
  const [, engine, version] = /^(?:v1\/)?locks\/([^/]+)(?:\/([^/]+))?/.exec(path) ?? [];
  const builds = pythonBuilds(catalog);
  if (builds.length === 0) {
    return ["No bundle on this mirror carries a Python engine, so there are no locks."];
  }
  const names = builds.map((one) => `${one.engine}/${one.version}/${one.arch}/${one.variant}`);
  return [
    `No bundle carries such a lock. Locks here, as ENGINE/VERSION/ARCH/VARIANT: ${list(names)}.`,
    ...(engine === undefined || version === undefined || !catalog.recipes.has(engine)
      ? []
      : [specFor(engine, version)]),
  ];
}

/** What a spec can name: engines. Everything else comes with the engines that need it. */
function bringing(catalog: Catalog, { project, version }: Asked): string[] {
  if (project === undefined) return [];
  for (const [engine, { pypi, versions }] of catalog.recipes) {
    if (pypi === undefined || normaliseProject(pypi) !== project) continue;
    return [specFor(engine, version ?? versions.example)];
  }
  const carried = [...new Set(pythonBuilds(catalog).map(({ engine, version: of }) => `${engine} ${of}`))];
  return [
    `A bundle carries the wheels of its engines' locks and no others${
      carried.length === 0 ? "" : ` (here: ${list(carried)})`
    }: build the next one with an engine that needs ${project}${version === undefined ? "" : ` ${version}`}.`,
  ];
}

function specFor(engine: string, version: string): string {
  const lines = stringify({ engines: [{ engine, versions: [version] }] }).trimEnd();
  return toCarryIt(lines);
}

function indexNames(python: PythonCatalog): string {
  return list([...python.indexes.keys()].map((folder) => `/${folder}/`));
}
