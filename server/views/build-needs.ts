import type { CarriedBuild } from "../../src/bundle/document.ts";
import { lastPart } from "../../src/lib/last-part.ts";
import { minimum } from "../../src/recipe/candidates.ts";
import { rulesOf } from "../../src/recipe/choice.ts";
import type { BuildRule } from "../../src/recipe/fields.ts";
import { existingRules } from "../../src/recipe/guards.ts";
import { isFamily, memberPattern } from "../../src/recipe/member.ts";
import { formatCc } from "../../src/recipe/needs.ts";
import type { Recipe } from "../../src/recipe/schema.ts";
import type { Facts } from "../../src/recipe/when.ts";
import { holds } from "../../src/recipe/when.ts";
import { glibcOfPackages } from "../../src/wire/wheel-fit.ts";
import { count } from "./words.ts";

/** What a machine must have for a build, in words; undefined where nothing is asked, or nothing is known. */
export interface BuildNeeds {
  /** `580 or newer`, `any NVIDIA driver` */
  driver: string | undefined;
  /** `7.5 or newer` */
  compute: string | undefined;
  /** `2.31 or newer`, where a file's name states it */
  glibc: string | undefined;
  /** Processor features, system packages, Python: an item each. */
  also: string[];
}

export function needsInWords(carried: CarriedBuild, recipe: Recipe | undefined): BuildNeeds {
  return {
    driver: driverOf(carried, recipe),
    compute: computeOf(carried, recipe),
    glibc: carried.python === undefined ? glibcOf(carried) : `${carried.python.glibc} or newer`,
    also: alsoOf(carried),
  };
}

function driverOf(carried: CarriedBuild, recipe: Recipe | undefined): string | undefined {
  const { nvidia, driver } = carried.needs;
  if (driver === undefined) return nvidia ? "any NVIDIA driver" : undefined;
  const exceptions = recipe === undefined ? [] : forCertainCards(carried, recipe, Number(driver));
  return [`${driver} or newer`, ...exceptions].join("; ");
}

/** A document states what every card needs; its recipe may let certain cards do with an older driver. */
function forCertainCards(carried: CarriedBuild, recipe: Recipe, forAll: number): string[] {
  const facts: Facts = { version: carried.version, arch: carried.arch, gpu: "nvidia", cc: 0 };
  const rule = existingRules(recipe, facts).find((one) => isOf(one, carried.variant));
  const rules = rulesOf(rule?.needs?.driver) ?? [];
  return rules.flatMap(({ when, value }) => {
    const cards = when?.cc;
    if (!Array.isArray(cards) || value >= forAll) return [];
    if (!holds({ ...when, cc: undefined }, facts, recipe.versions.ordering, false)) return [];
    return [`${value} on compute capability ${cards.map(formatCc).join(", ")}`];
  });
}

function isOf(rule: BuildRule, variant: string): boolean {
  return isFamily(rule.variant) ? memberPattern(rule.variant).test(variant) : rule.variant === variant;
}

function computeOf({ needs, version, arch }: CarriedBuild, recipe: Recipe | undefined): string | undefined {
  if (!needs.nvidia) return undefined;
  const lowest = needs.cc?.min ?? (recipe === undefined ? 0 : minimum(recipe, version, arch));
  const highest = needs.cc?.max;
  if (highest !== undefined) {
    return lowest === 0 ? `up to ${formatCc(highest)}` : `${formatCc(lowest)} to ${formatCc(highest)}`;
  }
  return lowest === 0 ? undefined : `${formatCc(lowest)} or newer`;
}

/** The glibc that wheels of a build without an environment state in their names. */
function glibcOf({ files, arch }: CarriedBuild): string | undefined {
  const newest = glibcOfPackages(
    files.map((path) => [lastPart(path)]),
    arch,
  );
  return newest === undefined ? undefined : `${newest} or newer`;
}

function alsoOf({ build, python: environment }: CarriedBuild): string[] {
  const { cpuFlags = [], packages, python } = build;
  const deb = packages?.deb.join(", ") ?? "";
  const rpm = packages?.rpm.join(", ") ?? "";
  return [
    cpuFlags.length === 0 ? "" : `processor with ${cpuFlags.join(", ")}`,
    deb === rpm ? deb : `${deb} (rpm: ${rpm})`,
    environment === undefined
      ? python === undefined
        ? ""
        : `Python ${python}`
      : `Python ${environment.version} and ${count(environment.packages, "package")} (carried)`,
  ].filter((word) => word !== "");
}
