import type { CarriedBuild, CarriedFile } from "../../src/bundle/document.ts";
import type { PythonBuild } from "../../src/bundle/document-python.ts";
import { lastPart } from "../../src/lib/last-part.ts";
import type { Candidate, PythonFile } from "./install-plan.ts";

/**
 * The files of a Python build that the script itself fetches, in its order. `files` are all of the build, wheels too: uv
 * gets those, from the lock. Or why they cannot be unpacked on a node.
 */
export function pythonFiles(python: PythonBuild, files: readonly CarriedFile[]): PythonFile[] | string {
  const roles: [PythonFile["role"], string][] = [
    ["uv", python.uv],
    ["interpreter", python.interpreter],
    ["lock", python.lock],
    ...(python.source === undefined
      ? []
      : [["source", python.source] satisfies [PythonFile["role"], string]]),
    ...python.assets.map((path): [PythonFile["role"], string] => ["asset", path]),
  ];
  const found: PythonFile[] = [];
  for (const [role, path] of roles) {
    const file = files.find((one) => one.path === path);
    const last = lastPart(path);
    if (file === undefined) return `its bundle does not list ${last} as a file of it`;
    // The interpreter unpacks source and assets; until it is there, tar does.
    if ((role === "uv" || role === "interpreter") && !/\.(tar\.gz|tgz)$/.test(path)) {
      return `${last} is no archive that tar can unpack`;
    }
    found.push({ path, digest: file.digest, size: file.size, role });
  }
  return found;
}

/** What the environment of a carried build is; undefined of one that needs no Python. */
export function pythonInstall({ build, python }: CarriedBuild): Candidate["python"] {
  if (python === undefined) return undefined;
  const { version, glibc, packages, bytes } = python;
  const { source, gpuCheck = false } = build;
  return {
    version,
    glibc,
    packages,
    wheelBytes: bytes,
    gpuCheck,
    ...(source === undefined ? {} : { source: { dir: source.dir, top: source.top } }),
  };
}

/** Why packages that need this glibc cannot run beside that one, in words; an unknown one (empty) is left to the node. */
export function glibcTooOld(needed: string, has: string): string | undefined {
  if (has === "" || minor(has) >= minor(needed)) return undefined;
  return `needs glibc ${needed}, this node has ${has}`;
}

/** `2.36` comes after `2.4`; all are 2. */
function minor(glibc: string): number {
  const [major = "0", second = "0"] = glibc.split(".");
  return Number(major) * 1000 + Number(second);
}
