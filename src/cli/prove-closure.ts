import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { serveDocument } from "../../server/serve-document.ts";
import { buildName } from "../bundle/build-name.ts";
import type { BundleDocument } from "../bundle/document.ts";
import type { Env } from "../config/load.ts";
import { FerryError, isFerryError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Digest } from "../lib/digest.ts";
import type { Logger } from "../log.ts";
import type { LayoutStore } from "../store/layout-store.ts";
import { differences } from "../upstream/python/differences.ts";
import { lockedPackages, resolveAgain } from "../upstream/python/replay.ts";
import { openUv, type Uv } from "../upstream/python/uv-process.ts";
import { parsePylock } from "../wire/pylock.ts";

interface Proof {
  /** Path of the uv that resolved the locks. */
  uv: string;
  /** Where this run keeps what it needs for uv. */
  folder: string;
  store: LayoutStore;
  env: Env;
  clock: Clock;
  logger: Logger;
  signal: AbortSignal;
}

type Build = BundleDocument["builds"][number];

/**
 * Resolves every Python lock of a document again, with a mirror of that document alone as the whole world and a cache that
 * knows nothing else. Throws PYTHON_CLOSURE where the outcome differs from the lock, or where there is none.
 */
export async function proveClosure(document: BundleDocument, proof: Proof): Promise<void> {
  const builds = document.builds.filter((build) => build.python !== undefined);
  if (builds.length === 0) return;
  const { store, logger, uv: path, env, signal } = proof;
  const digests = new Map(document.files.map(({ path, digest }) => [path, digest]));
  // A cache of its own, that has seen nothing but this mirror.
  const folder = await mkdtemp(join(proof.folder, "closure-"));
  const uv = await openUv({ path, env, folder, signal });
  const mirror = await serveDocument(document, store.root, proof);
  try {
    for (const build of builds) {
      logger.info(`resolving ${buildName(build)} again from the bundle alone`);
      const found = await differencesOf(build, digests, mirror.url, uv, store);
      if (found.length > 0) throw notClosed(build, found, mirror.missed());
    }
  } finally {
    await mirror.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function differencesOf(
  build: Build,
  digests: ReadonlyMap<string, Digest>,
  base: string,
  uv: Uv,
  store: LayoutStore,
): Promise<string[]> {
  const { python } = build;
  if (python === undefined) return [];
  const lock = digests.get(python.lock);
  if (lock === undefined) return [`${python.lock} is not carried`];
  const locked = lockedPackages(parsePylock((await store.readSmall(lock)).toString("utf8")));
  try {
    const again = await resolveAgain(uv, python, base, (path) => digests.get(path));
    return differences(locked, again);
  } catch (error) {
    if (!isFerryError(error) || error.code === "INTERRUPTED") throw error;
    return [error.message];
  }
}

function notClosed(build: Build, found: readonly string[], missed: readonly string[]): FerryError {
  const shown = found.slice(0, 10).map((line) => `\n  ${line}`);
  const more = found.length > shown.length ? `\n  and ${found.length - shown.length} more` : "";
  const asked = missed.length === 0 ? "" : `\n  asked for and not carried: ${missed.slice(0, 10).join(", ")}`;
  return new FerryError(
    "PYTHON_CLOSURE",
    `${buildName(build)}: resolved again from the bundle alone it is another environment:${shown.join("")}${more}${asked}`,
    {
      hint: "No bundle was written. Run the build again; if it stays so, report it. --skip-closure writes the bundle and records that this was not proven.",
      details: { differences: found, missed },
    },
  );
}
