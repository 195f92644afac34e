import type { CarriedBuild } from "../../src/bundle/document.ts";
import { isFerryError } from "../../src/errors.ts";
import type { Build, BuildOffer } from "../../src/recipe/build.ts";
import { candidates } from "../../src/recipe/candidates.ts";
import { kindOf } from "../../src/recipe/query.ts";
import type { Recipe } from "../../src/recipe/schema.ts";
import { type RecipeTable, tableOf } from "../../src/recipe/table.ts";
import { findHolding, type Holding, type InstallCatalog } from "./carried-build.ts";
import { Candidate, type InstallPlan } from "./install-plan.ts";
import { glibcTooOld, pythonInstall } from "./python-candidate.ts";
import type { InstallQuestion } from "./question.ts";
import { notFitting, notKnown, notThere, tooOld } from "./refuse.ts";

const BYTES_PER_GB = 1e9;
const DEVICES = /^libggml-([a-z0-9]+)\.so$/;

/**
 * What a node may install, best first: the builds that the carried recipe offers such a machine, as far as they are here,
 * whole, with the files as the bundle's document lists them. Where nothing is left, `refusal` says why and what would help.
 * `latest` is no version here: a mirror cannot know what is newest, only what it carries.
 */
export function planInstall(catalog: InstallCatalog, question: InstallQuestion): InstallPlan {
  const { engine, version, variant, host } = question;
  const recipe = recipeFor(catalog, question);
  const plan = { formatVersion: 1 as const, engine, version, variant, label: recipe?.label ?? engine, host };
  if (recipe === undefined) {
    return { ...plan, candidates: [], left: [], refusal: notKnown(catalog, question) };
  }
  let offers: BuildOffer[];
  try {
    const table = tableOf([{ engine, recipe, origin: "a bundle", overlay: false }]);
    offers = offersFor(table, question, assetNames(catalog, question));
  } catch (error) {
    if (!isFerryError(error)) throw error;
    return { ...plan, candidates: [], left: [], refusal: notFitting(catalog, question, recipe, error) };
  }
  const judged = offers.map((offer) => judge(catalog, question, offer));
  const found = judged.filter((one): one is Candidate => !isLeft(one));
  const unfit = judged.filter(isLeft);
  const left = unfit.map(({ variant: name, reason }) => ({ variant: name, reason }));
  if (found.length > 0) return { ...plan, candidates: found, left };
  // What is here and does not fit is the reason; that others are not here is told beside it.
  if (unfit.some((one) => one.tooOld === true)) {
    return { ...plan, candidates: [], left, refusal: tooOld(catalog, question, recipe, left) };
  }
  return { ...plan, candidates: [], left, refusal: notThere(catalog, question, recipe, offers, left) };
}

/**
 * What the recipe offers the machine, best first. A variant may also be a kind (`cuda`), as in a spec: then every build of
 * that kind counts.
 */
function offersFor(
  table: RecipeTable,
  { engine, version, variant, host }: InstallQuestion,
  names: readonly string[],
): BuildOffer[] {
  try {
    return candidates(table, { engine, version, variant, host }, names);
  } catch (error) {
    if (variant === "" || !isFerryError(error, "NO_BUILD")) throw error;
    const ofKind = kindOf(candidates(table, { engine, version, variant: "", host }, names), variant);
    if (ofKind.length === 0) throw error;
    return ofKind;
  }
}

/** The recipe of the bundle that carries the version, else the engine's last imported. */
function recipeFor(
  { bundles }: InstallCatalog,
  { engine, version, host }: InstallQuestion,
): Recipe | undefined {
  const known = bundles.toReversed().flatMap(({ document }) => {
    const recipe = document.recipes.find((one) => one.engine === engine)?.recipe;
    return recipe === undefined ? [] : [{ recipe, builds: document.builds }];
  });
  const has = (arch?: string): Recipe | undefined =>
    known.find(({ builds }) =>
      builds.some(
        (build) =>
          build.engine === engine && build.version === version && (arch === undefined || build.arch === arch),
      ),
    )?.recipe;
  return has(host.arch) ?? has() ?? known[0]?.recipe;
}

/**
 * The release's asset names as far as this mirror knows them, so that a family comes to the member that is carried.
 * Those of a volume that has not been imported count: what is awaited is another thing than what was never sent.
 */
function assetNames({ bundles }: InstallCatalog, { engine, version }: InstallQuestion): string[] {
  const builds = bundles.flatMap(({ document }) => document.builds);
  const asked = builds.filter((build) => build.engine === engine && build.version === version);
  return [...new Set(asked.flatMap(({ build }) => build.assets ?? []))];
}

/** `tooOld`: it is here, and the machine's C library is too old for it. */
type Left = InstallPlan["left"][number] & { tooOld?: true };

function isLeft(one: Candidate | Left): one is Left {
  return "reason" in one;
}

function judge(
  catalog: InstallCatalog,
  { engine, version, key, host }: InstallQuestion,
  offer: BuildOffer,
): Candidate | Left {
  const { build, problem, family } = offer;
  const variant = problem === undefined ? build.variant : family;
  if (problem?.code === "UPSTREAM_AMBIGUOUS") return { variant, reason: problem.message };
  const arch = host.arch as CarriedBuild["arch"];
  const name = { engine, version: build.version ?? version, arch, variant: build.variant };
  const holding = findHolding(catalog, name, key);
  if (typeof holding === "string") return { variant, reason: holding };
  if (!sameAssets(build, holding.carried.build)) {
    const { name: bundle, counter } = holding.bundle;
    return { variant, reason: `bundle ${bundle}-${counter} carries it with other files than are named now` };
  }
  const { python } = holding.carried;
  if (isPython(build) && python === undefined) {
    return { variant, reason: "it runs in Python, and its bundle carries no environment for it" };
  }
  const reason = python === undefined ? undefined : glibcTooOld(python.glibc, host.glibc);
  if (reason !== undefined) return { variant, reason, tooOld: true };
  const parsed = Candidate.safeParse(candidateOf(name.version, offer, holding));
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; ");
  return { variant, reason: `its recipe holds what a shell script must not be given: ${faults}` };
}

function isPython({ python, wheel, source }: Build): boolean {
  return (python ?? wheel ?? source) !== undefined;
}

function sameAssets(a: Build, b: Build): boolean {
  return (a.assets ?? []).join("\n") === (b.assets ?? []).join("\n");
}

/** What is installed is what the document says, for that is signed; which builds fit, and their order, the recipe says. */
function candidateOf(version: string, offer: BuildOffer, { carried, bundle, files }: Holding): Candidate {
  const { variant, binary, versionArgs, assetDir, gpuBackend, cpuFlags, packages, freeGB } = carried.build;
  const python = pythonInstall(carried);
  return {
    variant,
    version,
    bundle,
    files,
    bytes: files.reduce((sum, { size }) => sum + size, python?.wheelBytes ?? 0),
    binary,
    versionArgs: versionArgs ?? ["--version"],
    cpuFlags: cpuFlags ?? [],
    packages: packages ?? { deb: [], rpm: [] },
    needs: offer.needs,
    ...given({
      python,
      dir: assetDir,
      gpuBackend,
      devices: DEVICES.exec(gpuBackend ?? "")?.[1],
      freeBytes: freeGB === undefined ? undefined : Math.ceil(freeGB * BYTES_PER_GB),
      note: offer.build.note,
    }),
  };
}

/** Without what is undefined. */
function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
