import { z } from "zod";
import type { Ordering } from "./version.ts";
import { type Facts, holds, type When } from "./when.ts";

interface Rule<T> {
  when?: When | undefined;
  value: T;
}

/** One value for all, or rules of which the first that holds gives the value; where none holds, there is no value. */
export type Choice<T> = T | Rule<T>[];

/** The schema of a choice. `value` must not itself accept a list of objects that have a `value`. */
export function choiceOf<V extends z.ZodType, W extends z.ZodType>(
  value: V,
  when: W,
): z.ZodUnion<[V, z.ZodArray<z.ZodObject<{ when: z.ZodOptional<W>; value: V }, z.core.$strict>>]> {
  return z.union([value, z.array(z.strictObject({ when: when.optional(), value })).min(1)]);
}

/** The rules of a choice, or undefined where it is one value for all. */
export function rulesOf<T>(choice: Choice<T> | undefined): Rule<T>[] | undefined {
  return Array.isArray(choice) && choice.every(isRule) ? choice : undefined;
}

function isRule(item: unknown): boolean {
  return typeof item === "object" && item !== null && "value" in item;
}

/** The value that holds for these facts. Rules for certain cards do not apply where the card is unknown. */
export function pick<T>(choice: Choice<T> | undefined, facts: Facts, ordering: Ordering): T | undefined {
  const rules = rulesOf(choice);
  if (rules === undefined) return choice as T | undefined;
  return rules.find((rule) => holds(rule.when, facts, ordering, false))?.value;
}
