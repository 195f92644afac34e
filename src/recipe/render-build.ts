import type { Build, BuildOffer } from "./build.ts";
import { type Choice, pick } from "./choice.ts";
import type { BuildRule } from "./fields.ts";
import { familyName } from "./member.ts";
import { needsOf } from "./needs.ts";
import type { Recipe } from "./schema.ts";
import { render, type Values } from "./template.ts";
import { numberOf, tagOf } from "./versions-of.ts";
import type { Facts } from "./when.ts";

/** What every placeholder stands for. `variant` is a whole name, never a family. */
export function valuesFor(recipe: Recipe, facts: Facts, variant: string): Values {
  const { version, arch } = facts;
  return {
    version,
    number: numberOf(version),
    tag: tagOf(recipe, version),
    arch: Object.entries(recipe.arch).find(([name]) => name === arch)?.[1] ?? arch,
    variant,
    label: recipe.label,
  };
}

/** The name of the build where no release is at hand. */
export function tableVariant(rule: BuildRule): string {
  return rule.assume ?? rule.variant;
}

/** One build as the table offers it, with the given name of its family's member. */
export function offerOf(
  recipe: Recipe,
  rule: BuildRule,
  facts: Facts,
  variant = tableVariant(rule),
): BuildOffer {
  const build = renderBuild(recipe, rule, facts, variant);
  const tag = build.assetTag ?? tagOf(recipe, facts.version);
  const release =
    build.assets === undefined || recipe.github === undefined ? undefined : { repo: recipe.github, tag };
  return {
    build,
    needs: needsOf(recipe, rule, facts),
    family: familyName(rule.variant),
    ...(release === undefined ? {} : { release }),
  };
}

function renderBuild(recipe: Recipe, rule: BuildRule, facts: Facts, variant: string): Build {
  const fields = { ...recipe.defaults, ...rule };
  const values = valuesFor(recipe, facts, variant);
  const text = (template: string): string => render(template, values);
  const chosen = <T>(choice: Choice<T> | undefined): T | undefined =>
    pick(choice, facts, recipe.versions.ordering);
  const one = (choice: Choice<string> | undefined): string | undefined => map(chosen(choice), text);
  const many = (choice: Choice<string[]> | undefined): string[] | undefined =>
    map(chosen(choice), (list) => list.map(text));
  const pin = Object.entries(recipe.releases ?? {}).find(([version]) => version === facts.version)?.[1];
  const source = fields.source;
  return withoutUndefined<Build>({
    variant,
    assets: many(fields.assets),
    assetDir: one(fields.assetDir),
    assetTag: one(fields.assetTag),
    packages: chosen(fields.packages),
    binary: one(fields.binary) ?? "",
    cpuFlags: chosen(fields.cpuFlags),
    gpuBackend: chosen(fields.gpuBackend),
    gpuCheck: fields.gpuCheck,
    versionArgs: many(fields.versionArgs),
    python: chosen(fields.python),
    requirements: many(fields.requirements),
    wheel: map(chosen(fields.wheel), (wheel) => ({
      project: wheel.project,
      repo: recipe.github ?? "",
      tag: values.tag,
      prefix: text(wheel.prefix),
      suffix: text(wheel.suffix),
    })),
    extraIndex: one(fields.extraIndex),
    indexPackages: chosen(fields.indexPackages),
    source:
      source === undefined || pin === undefined
        ? undefined
        : withoutUndefined({
            url: text(source.url),
            sha256: pin.sha256,
            top: text(source.top),
            dir: text(source.dir),
            requirements: map(source.requirements, text),
          }),
    asOf: source === undefined ? undefined : pin?.published,
    freeGB: fields.freeGB,
  });
}

function map<T, U>(value: T | undefined, change: (value: T) => U): U | undefined {
  return value === undefined ? undefined : change(value);
}

type MayBeUndefined<T> = { [K in keyof T]: T[K] | undefined };

function withoutUndefined<T extends object>(value: MayBeUndefined<T>): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
