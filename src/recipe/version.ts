import { z } from "zod";

/** How the versions of an engine are ordered: `number` by the number in them (b11347), `pep440` by their parts (0.20.1). */
export const Ordering = z.enum(["number", "pep440"]);
export type Ordering = z.infer<typeof Ordering>;

/** The numbers that versions are compared by: `b11347` is [11347], `v0.20.0rc1` is [0, 20, 0]; undefined: none in it. */
export function numbersOf(version: string, ordering: Ordering): number[] | undefined {
  const match = (ordering === "number" ? /(\d+)/ : /^v?(\d+(?:\.\d+)*)/).exec(version);
  return match?.[1]?.split(".").map(Number);
}

/** Negative when `a` is the lower one. Absent parts count as 0, so 0.20 and 0.20.0 are equal. */
export function compareNumbers(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0];
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}

/** Full order of two versions, for "newest first": 0.20.0.dev1 < 0.20.0rc1 < 0.20.0 < 0.20.0.post1 < 0.20.1. */
export function compareVersions(a: string, b: string, ordering: Ordering): number {
  const byNumber = compareNumbers(numbersOf(a, ordering) ?? [], numbersOf(b, ordering) ?? []);
  return byNumber !== 0 || ordering === "number" ? byNumber : compareNumbers(stageOf(a), stageOf(b));
}

function stageOf(version: string): [number, number, number] {
  const pre = /(?:\d|[._-])(a|b|rc)\.?(\d*)/.exec(version);
  const dev = /\.dev(\d*)/.exec(version);
  const post = /\.post(\d*)/.exec(version);
  const stage =
    pre === null ? (post === null ? (dev === null ? 4 : 0) : 5) : ["a", "b", "rc"].indexOf(pre[1] ?? "") + 1;
  return [stage, Number(pre?.[2] ?? post?.[1] ?? 0), dev === null ? Infinity : Number(dev[1])];
}

/** A span of versions: from (inclusive) to below (exclusive), each open where undefined. */
export interface Span {
  from: number[] | undefined;
  below: number[] | undefined;
}

/**
 * Reads `>=0.20`, `<0.20` or both. A pre-release counts as its release: what 0.20.0rc1 is built from is 0.20's build.
 * Returns what is wrong, in words, where it cannot be read.
 */
export function parseSpan(text: string, ordering: Ordering): Span | string {
  const span: Span = { from: undefined, below: undefined };
  for (const part of text.trim().split(/\s+/)) {
    const match = /^(>=|<)(\S+)$/.exec(part);
    const numbers = match?.[2] === undefined ? undefined : numbersOf(match[2], ordering);
    const key = match?.[1] === ">=" ? "from" : "below";
    if (numbers === undefined) {
      return `"${text}" is no span of versions; write ">=0.20", "<0.20" or both with a space between`;
    }
    if (span[key] !== undefined) return `"${text}" has two ends of one kind`;
    span[key] = numbers;
  }
  if (span.from !== undefined && span.below !== undefined && compareNumbers(span.from, span.below) >= 0) {
    return `"${text}" holds no version`;
  }
  return span;
}

export function spanHolds(span: Span, version: string, ordering: Ordering): boolean {
  const numbers = numbersOf(version, ordering) ?? [];
  if (span.from !== undefined && compareNumbers(numbers, span.from) < 0) return false;
  return span.below === undefined || compareNumbers(numbers, span.below) < 0;
}

export function spansOverlap(a: Span, b: Span): boolean {
  const apart = (low: Span, high: Span): boolean =>
    low.below !== undefined && high.from !== undefined && compareNumbers(low.below, high.from) <= 0;
  return !apart(a, b) && !apart(b, a);
}

/** Whether every version of `inner` is in `outer`. */
export function spanCovers(outer: Span, inner: Span): boolean {
  const fromFits =
    outer.from === undefined || (inner.from !== undefined && compareNumbers(outer.from, inner.from) <= 0);
  const belowFits =
    outer.below === undefined || (inner.below !== undefined && compareNumbers(inner.below, outer.below) <= 0);
  return fromFits && belowFits;
}
