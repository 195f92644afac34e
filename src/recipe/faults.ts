import { rulesOf } from "./choice.ts";
import type { BuildRule } from "./fields.ts";
import { isFamily, memberPattern } from "./member.ts";
import type { RecipeShape as Recipe } from "./shape.ts";
import { placeholdersOf } from "./template.ts";
import { parseSpan } from "./version.ts";
import { archsOf, covers, overlaps, type When } from "./when.ts";

export interface Fault {
  path: (string | number)[];
  message: string;
}

/**
 * What a recipe's shape cannot show: rules that clash or are never reached, conditions that cannot be read, builds
 * that lack what they need to be fetched. Empty for a sound recipe.
 */
export function findFaults(recipe: Recipe): Fault[] {
  return [
    ...versionFaults(recipe),
    ...conditionFaults(recipe),
    ...recipe.builds.flatMap((rule, index) => buildFaults(recipe, rule, index)),
    ...clashes(recipe),
    ...aliasFaults(recipe),
    ...pinFaults(recipe),
  ];
}

function versionFaults(recipe: Recipe): Fault[] {
  const { versions, fallback } = recipe;
  const faults: Fault[] = [];
  const isVersion = (text: string): boolean => new RegExp(versions.pattern, "u").test(text);
  if (!isVersion(versions.example)) {
    faults.push({ path: ["versions", "example"], message: "does not match versions.pattern" });
  }
  if (fallback !== undefined && !isVersion(fallback.version)) {
    faults.push({ path: ["fallback", "version"], message: "does not match versions.pattern" });
  }
  if (fallback !== undefined && recipe.minCompute === undefined) {
    faults.push({ path: ["fallback"], message: "needs minCompute: below it the fallback is taken" });
  }
  for (const version of Object.keys(recipe.releases ?? {})) {
    if (!isVersion(version)) {
      faults.push({ path: ["releases", version], message: "does not match versions.pattern" });
    }
  }
  return faults;
}

/** Every `when` of the recipe with the path to it, and the rules of one list together, so that order can be judged. */
function rulesWithPaths(recipe: Recipe): { path: Fault["path"]; rules: { when?: When | undefined }[] }[] {
  const found: { path: Fault["path"]; rules: { when?: When | undefined }[] }[] = [];
  const add = (path: Fault["path"], choice: unknown): void => {
    const rules = rulesOf(choice);
    if (rules !== undefined) found.push({ path, rules });
  };
  add(["minCompute"], recipe.minCompute);
  for (const [key, value] of Object.entries(recipe.defaults ?? {})) add(["defaults", key], value);
  for (const [index, rule] of recipe.builds.entries()) {
    for (const [key, value] of Object.entries(rule)) add(["builds", index, key], value);
    add(["builds", index, "needs", "driver"], rule.needs?.driver);
  }
  return found;
}

function conditionFaults(recipe: Recipe): Fault[] {
  const { ordering } = recipe.versions;
  const faults: Fault[] = [];
  const check = (when: When | undefined, path: Fault["path"]): void => {
    if (when === undefined) return;
    const span = when.version === undefined ? undefined : parseSpan(when.version, ordering);
    if (typeof span === "string") faults.push({ path: [...path, "version"], message: span });
    const unknown = archsOf(when).filter((arch) => !Object.hasOwn(recipe.arch, arch));
    if (unknown.length > 0) {
      faults.push({ path: [...path, "arch"], message: `${unknown.join(", ")} is not under arch` });
    }
  };
  for (const [index, rule] of recipe.builds.entries()) check(rule.when, ["builds", index, "when"]);
  for (const { path, rules } of rulesWithPaths(recipe)) {
    for (const [index, rule] of rules.entries()) {
      check(rule.when, [...path, index, "when"]);
      const earlier = rules.slice(0, index).findIndex((before) => covers(before.when, rule.when, ordering));
      if (earlier < 0) continue;
      faults.push({
        path: [...path, index],
        message: `is never reached: rule ${earlier + 1} holds wherever this one does`,
      });
    }
  }
  return faults;
}

function buildFaults(recipe: Recipe, rule: BuildRule, index: number): Fault[] {
  const merged = { ...recipe.defaults, ...rule };
  const has = (...keys: (keyof typeof merged)[]): boolean => keys.some((key) => merged[key] !== undefined);
  const rules: [faulty: boolean, message: string][] = [
    [!has("binary"), "has no binary, here or under defaults"],
    [
      !has("assets", "requirements", "wheel", "source"),
      "names nothing to fetch: assets, requirements, wheel or source",
    ],
    [
      has("assets", "wheel") && recipe.github === undefined,
      "takes files from a release, but the recipe names no github",
    ],
    [has("requirements", "wheel", "source") && !has("python"), 'needs python: for example "3.12"'],
    [has("indexPackages") !== has("extraIndex"), "extraIndex and indexPackages belong together"],
  ];
  const faults = rules
    .filter(([faulty]) => faulty)
    .map(([, message]) => ({ path: ["builds", index], message }));
  return [...faults, ...familyFaults(rule, index, merged.assets)];
}

function familyFaults(rule: BuildRule, index: number, assets: BuildRule["assets"]): Fault[] {
  const path = ["builds", index];
  if (!isFamily(rule.variant)) {
    if (rule.assume === undefined) return [];
    return [{ path: [...path, "assume"], message: "is for families alone: variants that end in *" }];
  }
  if (rule.assume === undefined) {
    return [
      {
        path: [...path, "variant"],
        message: "is a family and needs assume: the member where no release is at hand",
      },
    ];
  }
  if (!memberPattern(rule.variant).test(rule.assume)) {
    return [
      {
        path: [...path, "assume"],
        message: `is no member of ${rule.variant}: a number must stand for the *`,
      },
    ];
  }
  const lists: string[][] = rulesOf<string[]>(assets)?.map((choice) => choice.value) ?? [
    (assets ?? []) as string[],
  ];
  const named = lists.every((list) => list.some((asset) => placeholdersOf(asset).includes("variant")));
  return named
    ? []
    : [{ path: [...path, "variant"], message: "is a family, but no asset has {variant} in its name" }];
}

/** Two builds of one name that exist for the same question, or a family and a name that it may come to. */
function clashes(recipe: Recipe): Fault[] {
  const { ordering } = recipe.versions;
  const same = (a: string, b: string): boolean => a === b || (isFamily(a) && memberPattern(a).test(b));
  return recipe.builds.flatMap((rule, index) => {
    const other = recipe.builds
      .slice(0, index)
      .findIndex(
        (before) =>
          (same(before.variant, rule.variant) || same(rule.variant, before.variant)) &&
          overlaps(before.when, rule.when, ordering),
      );
    if (other < 0) return [];
    return [
      {
        path: ["builds", index, "variant"],
        message: `clashes with build ${other + 1}: both are ${rule.variant} where both hold`,
      },
    ];
  });
}

function aliasFaults(recipe: Recipe): Fault[] {
  const variants = recipe.builds.map((rule) => rule.variant);
  return Object.entries(recipe.aliases ?? {}).flatMap(([alias, variant]) => {
    if (!variants.includes(variant)) {
      return [{ path: ["aliases", alias], message: `no build is named ${variant}` }];
    }
    return alias === variant ? [{ path: ["aliases", alias], message: "stands for itself" }] : [];
  });
}

function pinFaults(recipe: Recipe): Fault[] {
  const hasSource =
    recipe.defaults?.source !== undefined || recipe.builds.some((rule) => rule.source !== undefined);
  if (recipe.releases === undefined || hasSource) return [];
  return [{ path: ["releases"], message: "pins source archives, but no build has a source" }];
}
