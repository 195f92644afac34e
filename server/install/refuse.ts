import { stringify } from "yaml";
import type { FerryError } from "../../src/errors.ts";
import type { BuildOffer } from "../../src/recipe/build.ts";
import type { Recipe } from "../../src/recipe/schema.ts";
import { carriedLines, type InstallCatalog } from "./carried-build.ts";
import { type InstallPlan, REFUSALS, type Refusal, type RefusalKind } from "./install-plan.ts";
import type { InstallQuestion } from "./question.ts";

const SHOWN = 20;

/** The engine is in no bundle. */
export function notKnown(catalog: InstallCatalog, { engine, version }: InstallQuestion): Refusal {
  return refusal("not-carried", `this mirror carries no engine named ${engine}`, {
    carried: carriedLines(catalog),
    hint: "Ask for one of those, or have the next bundle bring it.",
    spec: specOf({ engine, versions: [version] }),
  });
}

/** The recipe offers such a machine nothing, or not what was asked for. */
export function notFitting(
  catalog: InstallCatalog,
  { engine, version, variant, host }: InstallQuestion,
  recipe: Recipe,
  error: FerryError,
): Refusal {
  const carried = carriedLines(catalog, engine);
  if (error.code !== "NO_BUILD") {
    // No version of this engine (`latest` among them), or one that nobody could have carried.
    const asked =
      version === "latest" ? `a mirror does not know which ${recipe.label} is the latest` : error.message;
    const hint = carried.length === 0 ? error.hint : "Ask for a version that is here.";
    return refusal("not-carried", asked, { carried, ...(hint === undefined ? {} : { hint }) });
  }
  if (error.details?.["notHere"] === true) {
    return refusal("not-here", error.message, {
      carried: [],
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    });
  }
  const isHere = catalog.bundles.some(({ document }) =>
    document.builds.some(
      (build) => build.engine === engine && build.version === version && build.variant === variant,
    ),
  );
  if (error.details?.["variant"] !== undefined && !isHere) {
    return refusal("not-carried", `this mirror carries no build ${variant} of ${recipe.label} ${version}`, {
      carried,
      hint: "Name one that is here, or no variant at all; or have the next bundle bring it.",
      spec: specOf({ engine, versions: [version], arch: [host.arch], variants: [variant] }),
    });
  }
  return refusal("does-not-fit", error.message, {
    carried,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  });
}

/** There are builds for such a machine, and those that are here need a newer C library. */
export function tooOld(
  catalog: InstallCatalog,
  { engine, version }: InstallQuestion,
  recipe: Recipe,
  left: InstallPlan["left"],
): Refusal {
  const why = left.map(({ variant, reason }) => `${variant}: ${reason}`).join("; ");
  const message = `no build of ${recipe.label} ${version} from this mirror runs on this machine: ${why}`;
  return refusal("does-not-fit", message, {
    carried: carriedLines(catalog, engine),
    hint: "A newer system has it; or have the next bundle resolved for this one (python: glibc: in its spec).",
  });
}

/** There are builds for such a machine, and none of them is here. */
export function notThere(
  catalog: InstallCatalog,
  { engine, version, host }: InstallQuestion,
  recipe: Recipe,
  offers: readonly BuildOffer[],
  left: InstallPlan["left"],
): Refusal {
  const carried = carriedLines(catalog, engine);
  const isHere = carried.some((line) => line.startsWith(`${engine} ${version} (`));
  const why = left.map(({ variant, reason }) => `${variant}: ${reason}`).join("; ");
  const message = isHere
    ? `no build of ${recipe.label} ${version} for this machine can be installed from this mirror: ${why}`
    : `this mirror does not carry ${recipe.label} ${version}`;
  const variants = [...new Set(offers.map(({ family }) => family))];
  return refusal("not-carried", message, {
    carried,
    hint: "Ask for what is here, or have the next bundle bring it.",
    spec: specOf({
      engine,
      versions: [version],
      arch: [host.arch],
      ...(recipe.tool === true ? {} : { variants }),
    }),
  });
}

function refusal(
  kind: RefusalKind,
  message: string,
  more: Pick<Refusal, "carried"> & Partial<Pick<Refusal, "hint" | "spec">>,
): Refusal {
  const carried = more.carried.slice(-SHOWN);
  const older = more.carried.length - carried.length;
  return {
    kind,
    exitCode: REFUSALS[kind],
    message,
    ...more,
    carried: older === 0 ? carried : [`${older} older ones`, ...carried],
  };
}

function specOf(entry: { engine: string; versions: string[]; arch?: string[]; variants?: string[] }): string {
  return stringify({ engines: [entry] }).trimEnd();
}
