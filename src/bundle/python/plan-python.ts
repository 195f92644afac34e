import { readMember } from "../../archive/read-member.ts";
import { FerryError } from "../../errors.ts";
import { digestFromHex } from "../../lib/digest.ts";
import { lastPart } from "../../lib/last-part.ts";
import type { Build } from "../../recipe/build.ts";
import type { RecipeTable } from "../../recipe/load.ts";
import { offers } from "../../recipe/query.ts";
import type { Recipe } from "../../recipe/schema.ts";
import { resolveWheel } from "../../recipe/wheel.ts";
import type { Artifact } from "../../upstream/artifact.ts";
import type { PythonRequest } from "../../upstream/python/types.ts";
import { buildName } from "../build-name.ts";
import type { Arch } from "../document-values.ts";
import type { UpstreamView } from "../plan-upstream.ts";
import type { Spec } from "../spec.ts";
import type { PythonBench } from "./bench.ts";
import { refuseMixedFamilies } from "./family.ts";
import { planWheels } from "./plan-wheels.ts";
import type { PlannedPython } from "./planned.ts";

const UV = "uv";
const INTERPRETERS = "astral-sh/python-build-standalone";

export interface PythonPlanInput {
  view: UpstreamView;
  table: RecipeTable;
  spec: Spec;
  githubUrl: string;
  python?: PythonBench | undefined;
  pinnedTimes?: ReadonlyMap<string, string> | undefined;
  recipe: Recipe;
  engine: string;
  version: string;
  arch: Arch;
  variant: string;
  build: Build;
  /** Release assets of the build, planned already. */
  assets: Artifact[];
}

interface PlannedParts {
  build: Build;
  artifacts: Artifact[];
  python: PlannedPython;
}

/**
 * Plans a build that runs in Python: its environment is resolved by uv for the target's platform, and everything that a
 * node needs is named: uv, interpreter, source archive, assets and every wheel of the lock.
 * Throws the PYTHON_* codes, and as the view of upstream does.
 */
export async function planPython(input: PythonPlanInput): Promise<PlannedParts> {
  const { python: bench, recipe, build, arch, assets, spec } = input;
  if (bench === undefined) {
    throw new FerryError(
      "UNSUPPORTED",
      `${recipe.label} runs in Python, and no uv is at hand to resolve it`,
      {
        hint: "Plan it with ferry plan or ferry build.",
      },
    );
  }
  const uvVersion = spec.python?.uv ?? defaultUv(input.table);
  const resolver = await bench.resolver(uvVersion, (host) => uvArchive(input, uvVersion, host));
  const wheel = await releaseWheel(input);
  const { source, requirements } = await sourceOf(input, bench);
  const request = requestOf(input, wheel, requirements);
  // What is quickly known to be absent is said before the long question is asked.
  const uv = await uvArchive(input, uvVersion, arch);
  const facts = await resolver.interpreter(request.python, arch);
  const interpreter = {
    artifact: await interpreterArchive(input, facts.build, facts.asset),
    facts,
    check: (path: string) => resolver.checkInterpreter(facts, path),
  };
  const resolution = await resolver.resolve(request);
  refuseMixedFamilies(buildName(input), resolution.packages, resolution.extraIndex?.name);
  const planned = await planWheels(resolution, {
    bench,
    release: wheel,
    target: { python: request.python, arch, glibc: request.glibc },
  });
  warnOfUnclaimed(planned.wheels, input, bench);
  const python: PlannedPython = {
    resolution,
    uvVersion,
    resolvedBy: resolver.uvVersion,
    uv,
    interpreter,
    source,
    assets,
    wheel,
    ...planned,
  };
  const artifacts = [
    uv,
    interpreter.artifact,
    ...(source === undefined ? [] : [source]),
    ...assets,
    ...planned.wheels.map(({ artifact }) => artifact),
  ];
  return { build: { ...build, asOf: resolution.published }, artifacts, python };
}

/** Bytes that nobody published a digest of are carried, as they came, and never in silence (P6). */
function warnOfUnclaimed(wheels: PlannedPython["wheels"], input: PythonPlanInput, bench: PythonBench): void {
  const names = wheels
    .filter(({ artifact }) => artifact.trust === "computed")
    .map(({ file }) => file.filename);
  if (names.length === 0) return;
  bench.warnOnce(
    `${buildName(input)}: no index publishes a digest of ${names.slice(0, 5).join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}; what uv received is what is carried`,
  );
}

function requestOf(
  input: PythonPlanInput,
  wheel: Artifact | undefined,
  sourceRequirements: PythonRequest["sourceRequirements"],
): PythonRequest {
  const { recipe, build, arch, engine, version } = input;
  const settings = input.spec.python;
  const asOf = input.pinnedTimes?.get(buildName(input)) ?? build.asOf;
  return {
    engine,
    label: recipe.label,
    version,
    arch,
    build: asOf === undefined ? build : { ...build, asOf },
    pypi: recipe.pypi,
    python: settings?.version ?? build.python ?? "",
    glibc: settings?.glibc ?? "2.35",
    wheel: wheel === undefined ? undefined : wheelRequest(wheel),
    sourceRequirements,
  };
}

function defaultUv(table: RecipeTable): string {
  const version = table.recipe(UV).versions.default;
  if (version !== undefined) return version;
  throw new FerryError(
    "RECIPE_INVALID",
    "uv.yaml: versions.default: is missing, and Python engines need a uv",
    {
      hint: "Add it to the recipe, or name a version under python.uv in the spec.",
    },
  );
}

/** uv's archive for an architecture, as its own recipe names it. */
async function uvArchive({ table, view }: PythonPlanInput, version: string, arch: Arch): Promise<Artifact> {
  const recipe = table.recipe(UV);
  const [offer] = offers(table, { engine: UV, version, arch });
  const [name] = offer?.build.assets ?? [];
  if (offer?.release === undefined || name === undefined) {
    throw new FerryError("RECIPE_INVALID", `uv.yaml: names no archive of uv ${version} for ${arch}`, {
      hint: "Add its assets to the recipe, or leave that architecture out of the spec.",
    });
  }
  const seen = await view.release(offer.release.repo, offer.release.tag);
  return view.asset(seen, name, { checksums: recipe.checksums });
}

async function interpreterArchive({ view }: PythonPlanInput, tag: string, name: string): Promise<Artifact> {
  const seen = await view.release(INTERPRETERS, tag);
  return view.asset(seen, name, { checksums: "SHA256SUMS" });
}

async function releaseWheel({ view, build, recipe }: PythonPlanInput): Promise<Artifact | undefined> {
  if (build.wheel === undefined) return undefined;
  const seen = await view.release(build.wheel.repo, build.wheel.tag);
  const name = resolveWheel(
    build.wheel,
    seen.release.assets.map((asset) => asset.name),
  );
  return view.asset(seen, name, { checksums: recipe.checksums });
}

function wheelRequest({ path, url, digest, trust }: Artifact): NonNullable<PythonRequest["wheel"]> {
  const filename = lastPart(path);
  if (digest !== undefined) return { filename, url, digest };
  throw new FerryError("UPSTREAM_NO_CHECKSUM", `nothing vouches for ${filename} (${trust})`, {
    hint: "uv would have to read the whole wheel to lock it. Ask for another version.",
  });
}

async function sourceOf(
  { build, githubUrl, recipe }: PythonPlanInput,
  bench: PythonBench,
): Promise<{ source: Artifact | undefined; requirements: PythonRequest["sourceRequirements"] }> {
  const named = build.source;
  if (named === undefined) return { source: undefined, requirements: undefined };
  const path = named.url.replace(/^\/+/, "");
  const url = `${githubUrl}/${path}`;
  const digest = digestFromHex(named.sha256);
  const { size, file } = await bench.source(url, path, digest);
  const source: Artifact = { path, url, size, digest, trust: "recipe", updatedAt: build.asOf ?? "" };
  if (named.requirements === undefined) return { source, requirements: undefined };
  const text = await readMember(file, `${named.top}/${named.requirements}`);
  return { source, requirements: { file: `${recipe.label} ${named.top}/${named.requirements}`, text } };
}
