import { FerryError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Digest } from "../lib/digest.ts";
import type { Door } from "../net/door-types.ts";
import { freeSpace, sameFileSystem } from "../store/free-space.ts";
import { markImport } from "../store/import-mark.ts";
import type { LayoutStore } from "../store/layout-store.ts";
import type { Signer } from "../trust/signer.ts";
import { composeDocument } from "./compose.ts";
import { BundleDocument } from "./document.ts";
import { bytesBegun, fetchAll, requireSpace } from "./fetch.ts";
import { earlierBundles, rememberBundle } from "./history.ts";
import { pinnedTimes, specDigest } from "./lock.ts";
import { renderBundle } from "./manifest.ts";
import { inOutputTurn } from "./output-turn.ts";
import { makePlan, type Plan, type PlanInput } from "./plan.ts";
import { planFiles } from "./plan-files.ts";
import { type PlanReport, reportPlan } from "./plan-report.ts";
import { type Guards, preparePlan, requireSameBytes, requireUnchanged } from "./prepare.ts";
import { pythonPart } from "./python/compose-python.ts";
import { producePython } from "./python/produce.ts";
import { isBundleTar, requireReplaceable } from "./replaceable.ts";
import { writeBundle } from "./write.ts";

export interface BuildInput extends PlanInput {
  guards: Guards;
  store: LayoutStore;
  door: Door;
  clock: Clock;
  signal: AbortSignal;
  random: () => number;
  jobs: number;
  connections: number;
  signers: readonly Signer[];
  /** A file, or a folder where it ends in a slash. */
  output: string;
  sourceDateEpoch: number | undefined;
  /**
   * Resolves every Python lock again from the bundle alone. Throws PYTHON_CLOSURE where the outcome differs. undefined: the
   * operator said --skip-closure, which the document records.
   */
  proveClosure: ((document: BundleDocument) => Promise<void>) | undefined;
}

export interface Built {
  document: BundleDocument;
  manifestDigest: string;
  signedBy: string[];
  /** Bytes of the tar, or of the files that a folder holds. */
  bytes: number;
}

/**
 * From spec to bundle: plan, space, fetch and verify, document, signature, one file. Nothing lies under the output's name
 * until the bundle is whole; whatever was verified before a failure stays in the store.
 */
export async function buildBundle(input: BuildInput): Promise<Built> {
  if (!input.output.endsWith("/")) await requireReplaceable(input.output, "bundle", isBundleTar);
  const { store } = input;
  const guards = {
    ...input.guards,
    earlier: [...input.guards.earlier, ...(await earlierBundles(store))],
  };
  const plan = await preparePlan(input, guards);
  await refuseWithoutSpace(input, await reportPlan(plan, store), await bytesBegun(store, planFiles(plan)));
  const mark = await markImport(
    store,
    specDigest(input.spec),
    `building ${input.spec.name}`,
    knownDigests(plan),
  );
  try {
    const built = await fetchAndWrite(input, plan, guards);
    await mark.done();
    return built;
  } catch (error) {
    // What is verified stays as long as gc's grace; the next run marks it anew.
    await mark.giveUp();
    throw error;
  }
}

async function fetchAndWrite(input: BuildInput, plan: Plan, guards: Guards): Promise<Built> {
  const { store, logger, signal } = input;
  const files = await fetchAll({ ...input, artifacts: planFiles(plan) });
  requireSameBytes(files, guards);
  requireUnchanged(plan, await planAgain(input, plan));
  const produced = await producePython(plan, files, store);
  const closure = input.proveClosure === undefined ? "skipped" : "proven";
  const python = pythonPart(plan, produced, closure);
  const all = [...files, ...produced.files];
  const document = requireReadable(composeDocument(plan, all, input.sourceDateEpoch, python));
  if (python !== undefined) await input.proveClosure?.(document);
  const rendered = renderBundle(document, input.signers);
  logger.info(`writing ${input.output}`);
  const bytes = await inOutputTurn(store, input.output, logger, () =>
    writeBundle({ document, rendered, store, output: input.output, signal, logger }),
  );
  await rememberBundle(store, rendered);
  return {
    document,
    manifestDigest: rendered.manifestDigest,
    signedBy: input.signers.map((signer) => signer.keyId),
    bytes,
  };
}

/** What is signed must be what a reader accepts: a bundle that only fails behind the gap is worse than none. */
function requireReadable(document: BundleDocument): BundleDocument {
  const parsed = BundleDocument.safeParse(document);
  if (parsed.success) return document;
  const faults = parsed.error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.map(String).join(".")}: ${issue.message}`);
  throw new FerryError(
    "UPSTREAM_MALFORMED",
    `no bundle can hold what upstream answered: ${faults.join("; ")}`,
    {
      hint: "Look at the release with curl: a proxy or a faulty mirror may answer in place of GitHub.",
    },
  );
}

function knownDigests(plan: Plan): Digest[] {
  return planFiles(plan).flatMap(({ digest }) => (digest === undefined ? [] : [digest]));
}

/**
 * The same plan asked for once more, with "latest" held to what it came to before. Releases are asked for anew; Python's
 * locks are those of before, for their date and digests are frozen.
 */
function planAgain(input: BuildInput, plan: Plan): Promise<Plan> {
  const pinnedLatest = new Map(
    plan.builds.filter((build) => build.asked === "latest").map((build) => [build.engine, build.version]),
  );
  return makePlan({ ...input, pinnedLatest, pinnedTimes: pinnedTimes(input.guards.lock?.lock) });
}

/** `begun`: bytes that lie there already, of files that are not whole. */
async function refuseWithoutSpace(input: BuildInput, report: PlanReport, begun: number): Promise<void> {
  const { store, output } = input;
  const { diskNeeded } = report.totals;
  const fetching = Math.max(0, diskNeeded.store - begun);
  const together = await sameFileSystem(store.root, output);
  const linked = together && output.endsWith("/");
  const bundle = linked ? 0 : diskNeeded.bundle;
  const free = await freeSpace(store.root);
  if (together) {
    requireSpace([{ what: "store and bundle", path: store.root, needed: fetching + bundle, free }]);
    return;
  }
  requireSpace([
    { what: "the store", path: store.root, needed: fetching, free },
    { what: "the bundle", path: output, needed: bundle, free: await freeSpace(output) },
  ]);
}
