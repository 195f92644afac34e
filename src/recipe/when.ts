import { z } from "zod";
import { type Ordering, parseSpan, type Span, spanCovers, spanHolds, spansOverlap } from "./version.ts";

export const RecipeArch = z.enum(["amd64", "arm64"]);
export type RecipeArch = z.infer<typeof RecipeArch>;

const unique = (items: readonly unknown[]): boolean => new Set(items).size === items.length;
const Compute = z.number().min(1).max(99);

const VersionSpan = z.string().describe('">=0.20", "<0.20", or both with a space between.');
const Archs = z.union([RecipeArch, z.array(RecipeArch).min(1).refine(unique, "names one twice")]);
export const ComputeSpan = z
  .strictObject({ min: Compute.optional(), max: Compute.optional() })
  .refine((span) => span.min !== undefined || span.max !== undefined, "needs min or max")
  .refine(
    (span) => (span.min ?? 0) <= (span.max ?? Infinity),
    "holds no compute capability: min is above max",
  )
  .describe("Compute capabilities, both ends inclusive.");
const ComputeList = z
  .array(Compute)
  .min(1)
  .refine(unique, "names one twice")
  .describe("Exactly these compute capabilities.");

/** Where a value of a build holds: a build is the same for every machine of one architecture, so no card is asked for. */
export const BuildWhen = z.strictObject({ version: VersionSpan.optional(), arch: Archs.optional() });
/** Where a value that a machine is measured against holds. */
export const MachineWhen = z.strictObject({
  version: VersionSpan.optional(),
  arch: Archs.optional(),
  cc: z.union([ComputeList, ComputeSpan]).optional(),
});
/** Where a build exists at all. */
export const When = z.strictObject({
  version: VersionSpan.optional(),
  arch: Archs.optional(),
  gpu: z
    .enum(["nvidia", "none"])
    .optional()
    .describe("Offered only to machines with, or without, an NVIDIA driver."),
  cc: z.union([ComputeList, ComputeSpan]).optional(),
});
export type When = z.infer<typeof When>;

/** What conditions are asked about. */
export interface Facts {
  version: string;
  arch: string;
  gpu: "nvidia" | "none";
  /** 0: unknown. */
  cc: number;
}

/**
 * Whether a condition holds. `unknownCc` says what a condition on the compute capability means where that is unknown:
 * a build cannot be ruled out then (true), a rule for certain cards cannot be relied on (false).
 */
export function holds(when: When | undefined, facts: Facts, ordering: Ordering, unknownCc: boolean): boolean {
  if (when === undefined) return true;
  if (when.version !== undefined && !spanHolds(spanOf(when, ordering), facts.version, ordering)) return false;
  if (when.arch !== undefined && !archsOf(when).includes(facts.arch)) return false;
  if (when.gpu !== undefined && when.gpu !== facts.gpu) return false;
  if (when.cc === undefined) return true;
  return facts.cc === 0 ? unknownCc : inCc(when.cc, facts.cc);
}

/** Whether both conditions can hold for the same question. */
export function overlaps(a: When | undefined, b: When | undefined, ordering: Ordering): boolean {
  if (a === undefined || b === undefined) return true;
  if (!spansOverlap(spanOf(a, ordering), spanOf(b, ordering))) return false;
  if (a.arch !== undefined && b.arch !== undefined && !archsOf(a).some((arch) => archsOf(b).includes(arch))) {
    return false;
  }
  if (a.gpu !== undefined && b.gpu !== undefined && a.gpu !== b.gpu) return false;
  return a.cc === undefined || b.cc === undefined || ccOverlaps(a.cc, b.cc);
}

/** Whether `outer` holds wherever `inner` does, so that a rule after it is never reached. */
export function covers(outer: When | undefined, inner: When | undefined, ordering: Ordering): boolean {
  if (outer === undefined) return true;
  if (inner === undefined) return Object.keys(outer).length === 0;
  if (!spanCovers(spanOf(outer, ordering), spanOf(inner, ordering))) return false;
  if (
    outer.arch !== undefined &&
    (inner.arch === undefined || !archsOf(inner).every((arch) => archsOf(outer).includes(arch)))
  ) {
    return false;
  }
  if (outer.gpu !== undefined && outer.gpu !== inner.gpu) return false;
  return outer.cc === undefined || (inner.cc !== undefined && ccCovers(outer.cc, inner.cc));
}

export function archsOf(when: When): readonly string[] {
  return when.arch === undefined ? [] : [when.arch].flat();
}

type Cc = NonNullable<When["cc"]>;

function inCc(cc: Cc, value: number): boolean {
  return Array.isArray(cc) ? cc.includes(value) : value >= (cc.min ?? 0) && value <= (cc.max ?? Infinity);
}

function ccOverlaps(a: Cc, b: Cc): boolean {
  if (Array.isArray(a)) return a.some((value) => inCc(b, value));
  if (Array.isArray(b)) return b.some((value) => inCc(a, value));
  return (a.min ?? 0) <= (b.max ?? Infinity) && (b.min ?? 0) <= (a.max ?? Infinity);
}

function ccCovers(outer: Cc, inner: Cc): boolean {
  if (Array.isArray(inner)) return inner.every((value) => inCc(outer, value));
  if (Array.isArray(outer)) return false;
  return (outer.min ?? 0) <= (inner.min ?? 0) && (outer.max ?? Infinity) >= (inner.max ?? Infinity);
}

function spanOf(when: When, ordering: Ordering): Span {
  const open: Span = { from: undefined, below: undefined };
  if (when.version === undefined) return open;
  const span = parseSpan(when.version, ordering);
  return typeof span === "string" ? open : span;
}
