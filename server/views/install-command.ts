import type { Catalog, CatalogBuild } from "../catalog.ts";
import { findHolding } from "../install/carried-build.ts";
import { isWord } from "../install/safe-words.ts";
import { shellWord } from "./shell-word.ts";
import type { Site } from "./site.ts";

/** How a version gets onto a node. */
export interface Install {
  /** The command; undefined where no node could install it with what is here. */
  install: string | undefined;
  /** Why there is no command, where there is none. */
  why: string | undefined;
}

/** `builds`: all of one version of one engine. */
export function installOf(builds: readonly CatalogBuild[], catalog: Catalog, site: Site): Install {
  const [first] = builds;
  if (first === undefined) return { install: undefined, why: "every build of it is a recorded gap" };
  const why = whyNot(first, builds, catalog);
  return { install: why === undefined ? installCommand(site, first) : undefined, why };
}

/** Why no node can install it from here, or undefined where one can: a build that is here whole, with its environment. */
function whyNot(
  { engine, version }: CatalogBuild,
  builds: readonly CatalogBuild[],
  catalog: Catalog,
): string | undefined {
  if (!isWord(engine) || !isWord(version)) return "its name is no plain word";
  const whole = builds.filter(
    ({ build, python }) =>
      python !== undefined ||
      (build.python === undefined && build.wheel === undefined && build.source === undefined),
  );
  let why = "it needs Python packages, and its bundle carries no environment for it";
  for (const build of whole) {
    const held = findHolding(catalog, build);
    if (typeof held !== "string") return undefined;
    why = held;
  }
  return why;
}

/** curl keeps a token that it is given in this way out of the list of processes; the script reads the same variable. */
const TOKEN = '--oauth2-bearer "$FERRY_TOKEN" ';

function installCommand({ base, guarded }: Site, { engine, version }: CatalogBuild): string {
  const script = shellWord(`${base}/install.sh`);
  return `curl -fsSL ${guarded ? TOKEN : ""}${script} | sh -s -- ${shellWord(engine)} ${shellWord(version)}`;
}
