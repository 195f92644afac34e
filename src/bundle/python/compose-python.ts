import { compareText } from "../../lib/compare-text.ts";
import type { CarriedInterpreter, Publication, PythonBuild, PythonPart } from "../document-python.ts";
import type { Plan, PlannedBuild } from "../plan.ts";
import { lockPath, releaseFilePath } from "./paths.ts";
import type { ProducedPython } from "./produce.ts";

/** The document's words on one Python build. */
export function pythonBuild(build: PlannedBuild): PythonBuild | undefined {
  const { python } = build;
  if (python === undefined) return undefined;
  const { resolution, source, wheel, wheels } = python;
  return {
    version: resolution.python,
    lock: lockPath(build),
    uv: python.uv.path,
    interpreter: python.interpreter.artifact.path,
    ...(source === undefined ? {} : { source: source.path }),
    assets: python.assets.map(({ path }) => path),
    ...(wheel === undefined ? {} : { wheel: wheel.path }),
    platform: resolution.platform,
    glibc: python.glibc,
    published: resolution.published,
    excludeNewer: resolution.excludeNewer,
    requirements: resolution.requirements.map((line) => withMirrorPaths(line, wheels)),
    ...(resolution.extraIndex === undefined
      ? {}
      : { extraIndex: { name: resolution.extraIndex.name, packages: resolution.extraIndex.packages } }),
    packages: resolution.packages.length,
    bytes: python.bytes,
  };
}

/** A requirement by URL has its mirror path as address: `vllm @ /O/R/releases/download/…`. */
function withMirrorPaths(
  line: string,
  wheels: readonly { artifact: { path: string }; file: { url: string } }[],
): string {
  const [, name, url] = /^(\S+)\s*@\s*(\S+)$/.exec(line) ?? [];
  if (name === undefined || url === undefined) return line;
  const bare = url.replace(/#.*$/, "");
  const found = wheels.find(({ file }) => file.url === bare);
  return found === undefined ? line : `${name} @ /${found.artifact.path}`;
}

/** What all Python builds of a plan share; undefined where it has none. */
export function pythonPart(
  plan: Plan,
  produced: ProducedPython,
  closure: PythonPart["closure"],
): PythonPart | undefined {
  const builds = plan.builds.filter((build) => build.python !== undefined);
  const [first] = builds;
  if (first?.python === undefined) return undefined;
  return {
    uv: first.python.uvVersion,
    ...(first.python.resolvedBy === first.python.uvVersion ? {} : { resolvedBy: first.python.resolvedBy }),
    closure,
    wheels: produced.wheels,
    publications: publications(builds),
    interpreters: interpreters(builds),
    notCarried: plan.recipes
      .filter(({ engine }) => builds.some((build) => build.engine === engine))
      .flatMap(({ engine, recipe }) => (recipe.notCarried ?? []).map((what) => ({ engine, what })))
      .sort((a, b) => compareText(a.engine, b.engine)),
  };
}

function publications(builds: readonly PlannedBuild[]): Publication[] {
  const found = new Map<string, Publication>();
  for (const { python } of builds) {
    if (python?.resolution.release === undefined) continue;
    const { release, published } = python.resolution;
    found.set(`${release.project} ${release.version}`, {
      project: release.project,
      version: release.version,
      published,
      // What was uploaded after the time that the lock is frozen at is none of its business (P14).
      files: release.files
        .filter(({ uploadedAt }) => Date.parse(uploadedAt) <= Date.parse(published))
        .map(({ filename, url, size, digest, uploadedAt }) => ({
          filename,
          path: releaseFilePath({ filename, url, digest }),
          ...(size === undefined ? {} : { size }),
          ...(digest === undefined ? {} : { digest }),
          uploadedAt,
        }))
        .sort((a, b) => compareText(a.filename, b.filename)),
    });
  }
  return [...found].sort(([a], [b]) => compareText(a, b)).map(([, publication]) => publication);
}

function interpreters(builds: readonly PlannedBuild[]): CarriedInterpreter[] {
  const found = new Map<string, CarriedInterpreter>();
  for (const { python, arch } of builds) {
    if (python === undefined) continue;
    const { artifact, facts } = python.interpreter;
    found.set(facts.key, {
      key: facts.key,
      arch,
      version: facts.version,
      build: facts.build,
      path: artifact.path,
    });
  }
  return [...found.values()].sort((a, b) => compareText(a.key, b.key));
}
