import { FerryError } from "../../errors.ts";
import { lastPart } from "../../lib/last-part.ts";
import { instantOf, type Pylock } from "../../wire/pylock.ts";
import { machineOf } from "../../wire/wheel-fit.ts";
import { normaliseProject } from "../../wire/wheel-name.ts";
import { compile } from "./compile.ts";
import { requirementsOf, titleOf } from "./requirements.ts";
import { resolvedPackages } from "./resolved-packages.ts";
import type { IndexRelease, PythonRequest, Resolution } from "./types.ts";
import { yankedIn } from "./uv-notes.ts";
import type { Uv } from "./uv-process.ts";

export interface ResolveParts {
  uv: Uv;
  /** Stands for `https://download.pytorch.org/whl` in recipes. */
  torchIndexUrl: string;
  /** The engine's release on the default index, asked for once for all builds. */
  release(project: string, version: string): Promise<IndexRelease>;
  /** Asks the default index about a release once for all builds. */
  latestUpload(project: string, version: string): Promise<string | undefined>;
}

export const PYTORCH_INDEX = "https://download.pytorch.org/whl";
const DAY_MS = 86_400_000;

/** Resolves one build for its platform. Throws the PYTHON_* codes, the network's, and INTERRUPTED. */
export async function resolveBuild(request: PythonRequest, parts: ResolveParts): Promise<Resolution> {
  const { uv, torchIndexUrl } = parts;
  const { arch, python, glibc } = request;
  const what = titleOf(request);
  const requirements = requirementsOf(request);
  if (requirements.length === 0) throw asksForNothing(what);
  const extraIndex = extraIndexOf(request, torchIndexUrl);
  const release = await releaseOf(request, parts);
  const published = publicationOf(request, release, what);
  const excludeNewer = instantOf(new Date(Date.parse(published) + DAY_MS));
  const platform = `${machineOf(arch)}-manylinux_${glibc.replace(".", "_")}`;
  const options = ["--no-build", "--python-platform", platform];
  const { lock, notes } = await compile(uv, {
    what,
    requirements,
    python,
    options,
    extraIndex,
    excludeNewer,
  });
  const packages = resolvedPackages(lock, {
    what,
    published,
    excludeNewer,
    extraIndex,
    unclaimed: uv.unclaimed,
    yanked: yankedIn(notes),
    elsewhere: await uploadsElsewhere(lock, extraIndex?.packages ?? [], parts),
  });
  return { platform, python, published, excludeNewer, requirements, extraIndex, packages, release };
}

function asksForNothing(what: string): FerryError {
  return new FerryError("RECIPE_INVALID", `${what}: the recipe asks for no package`, {
    hint: "Give the build `requirements:`, a `wheel:`, or a source with a requirements file.",
  });
}

async function releaseOf(request: PythonRequest, parts: ResolveParts): Promise<IndexRelease | undefined> {
  if (request.pypi === undefined) return undefined;
  return parts.release(normaliseProject(request.pypi), request.build.version ?? request.version);
}

/** The source archive's pin says it, or else the engine's own release on the index. */
function publicationOf(request: PythonRequest, release: IndexRelease | undefined, what: string): string {
  const { asOf } = request.build;
  if (asOf !== undefined) return instantOf(new Date(asOf));
  if (release !== undefined) return release.published;
  throw new FerryError("RECIPE_INVALID", `${what}: nothing says when it was published`, {
    hint: "Give the recipe `pypi:`, the engine's project on the index, or pin its source with its time (ferry recipe pin).",
  });
}

function extraIndexOf({ build }: PythonRequest, torchIndexUrl: string): Resolution["extraIndex"] {
  if (build.extraIndex === undefined) return undefined;
  const stated = build.extraIndex.replace(/\/+$/, "");
  const underTorch = stated === PYTORCH_INDEX || stated.startsWith(`${PYTORCH_INDEX}/`);
  return {
    name: lastPart(stated),
    url: underTorch ? `${torchIndexUrl.replace(/\/+$/, "")}${stated.slice(PYTORCH_INDEX.length)}` : stated,
    packages: (build.indexPackages ?? []).map(normaliseProject),
  };
}

/** When the default index got the same public versions (`2.10.0` for `2.10.0+cu129`), by project. */
async function uploadsElsewhere(
  lock: Pylock,
  projects: readonly string[],
  parts: ResolveParts,
): Promise<Map<string, string>> {
  const times = new Map<string, string>();
  for (const { name, version, archive } of lock.packages) {
    const project = normaliseProject(name);
    if (version === undefined || archive !== undefined || !projects.includes(project)) continue;
    const time = await parts.latestUpload(project, version.split("+")[0] ?? version);
    if (time !== undefined) times.set(project, time);
  }
  return times;
}
