import type { Needs } from "./build.ts";
import { pick } from "./choice.ts";
import type { BuildRule } from "./fields.ts";
import type { Host } from "./host.ts";
import type { Recipe } from "./schema.ts";
import { compareNumbers } from "./version.ts";
import type { Facts } from "./when.ts";

/** What a machine must have for a build. With an unknown card it is what every card that the build supports needs. */
export function needsOf(recipe: Recipe, rule: BuildRule, facts: Facts): Needs {
  const driver = pick(rule.needs?.driver, facts, recipe.versions.ordering);
  const { min, max } = rule.needs?.cc ?? {};
  return {
    nvidia: recipe.requires === "nvidia" || rule.when?.gpu === "nvidia" || driver !== undefined,
    ...(driver === undefined ? {} : { driver: String(driver) }),
    ...(min === undefined && max === undefined
      ? {}
      : { cc: { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) } }),
  };
}

/** Why a machine cannot run a build, in words, or undefined where it can. An unknown compute capability is let pass. */
export function refusal(needs: Needs, host: Host, what: string): string | undefined {
  const { driver, cc } = needs;
  if (driver !== undefined && compareNumbers(driverNumbers(host.nvidiaDriver), [Number(driver)]) < 0) {
    const found =
      host.nvidiaDriver === "" ? "this machine has none" : `this machine has ${host.nvidiaDriver}`;
    return `${what} needs NVIDIA driver ${driver} or newer; ${found}`;
  }
  const found = host.minComputeCapability;
  if (cc === undefined || found === 0) return undefined;
  if (cc.min !== undefined && found < cc.min) {
    return `${what} has code for compute capability ${formatCc(cc.min)} and newer; this machine has ${formatCc(found)}`;
  }
  if (cc.max !== undefined && found > cc.max) {
    return `${what} has code for compute capability up to ${formatCc(cc.max)}; this machine has ${formatCc(found)}`;
  }
  return undefined;
}

/** 8 is written 8.0. */
export function formatCc(cc: number): string {
  return Number.isInteger(cc) ? cc.toFixed(1) : String(cc);
}

/** `580.65.06` as [580, 65, 6]; text that is no driver version counts as none. */
function driverNumbers(driver: string): number[] {
  return /^\d+(\.\d+)*$/.test(driver) ? driver.split(".").map(Number) : [];
}
