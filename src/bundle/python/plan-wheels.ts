import { FerryError } from "../../errors.ts";
import type { Artifact } from "../../upstream/artifact.ts";
import type { Resolution, ResolvedFile, ResolvedPackage } from "../../upstream/python/types.ts";
import { bestWheel, glibcOfPackages, oldestGlibc, type WheelTarget } from "../../wire/wheel-fit.ts";
import { normaliseProject, parseWheelName } from "../../wire/wheel-name.ts";
import { requireServable } from "../servable.ts";
import type { PythonBench } from "./bench.ts";
import { wheelPath } from "./paths.ts";
import type { PlannedWheel } from "./planned.ts";

interface Around {
  bench: Pick<PythonBench, "sizeOf">;
  /** The engine's wheel, where a release has it: GitHub says its size. */
  release: Artifact | undefined;
  target: WheelTarget;
}

/**
 * The wheels of a resolution as files to carry: all that the lock lists, so that it can be used as it is. Where an index
 * says no size, the file's host is asked. `glibc` is what the package that needs the newest one can do with; `bytes` are
 * those of the wheel of each package that an installation takes.
 */
export async function planWheels(
  resolution: Resolution,
  around: Around,
): Promise<{ wheels: PlannedWheel[]; glibc: string; bytes: number }> {
  const wheels: PlannedWheel[] = [];
  let bytes = 0;
  for (const found of resolution.packages) {
    const planned: PlannedWheel[] = [];
    for (const file of found.files) {
      planned.push({ artifact: await artifactOf(file, found, around), package: found, file });
    }
    bytes += bestWheel(planned, ({ file }) => file.filename, around.target)?.artifact.size ?? 0;
    wheels.push(...planned);
  }
  const names = resolution.packages.map(({ files }) => files.map(({ filename }) => filename));
  const { arch } = around.target;
  return { wheels, glibc: glibcOfPackages(names, arch) ?? oldestGlibc(arch), bytes };
}

async function artifactOf(
  file: ResolvedFile,
  { name, version }: ResolvedPackage,
  { bench, release }: Around,
): Promise<Artifact> {
  const parsed = parseWheelName(file.filename);
  if (parsed?.project !== normaliseProject(name)) {
    throw new FerryError("PYTHON_WHEEL", `${file.filename} is no wheel of ${name} ${version}`, {
      hint: "The index lists it so: look at it with uv, or ask for another version.",
    });
  }
  if (file.index.kind === "none" && release?.path.endsWith(`/${file.filename}`) === true) return release;
  const path = wheelPath(file);
  requireServable(path);
  const size = file.size ?? (await bench.sizeOf(file.url));
  const trust = file.digest !== undefined && file.claimed ? "index" : "computed";
  return { path, url: file.url, size, digest: file.digest, trust, updatedAt: file.uploadedAt };
}
