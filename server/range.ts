/** What a GET's Range header asks of a file: all of it, bytes `start` to `end` (inclusive), or nothing that exists. */
export type RangeOutcome =
  | { kind: "whole" }
  | { kind: "part"; start: number; end: number }
  | { kind: "unsatisfiable" };

const WHOLE: RangeOutcome = { kind: "whole" };
const SPEC = /^(\d*)-(\d*)$/;

/**
 * Judges a Range header against a file of `size` bytes (RFC 9110, section 14.2).
 * - Another unit than bytes, bad syntax or a last position before the first: the header is as good as absent.
 * - A last position beyond the end means the end; a suffix longer than the file means all of it (as a part).
 * - Several ranges: where just one of them exists it is the answer. Where more do, the whole file is sent, which every
 *   client must accept; parts in a multipart body are asked for by no installer and invite amplification.
 * - An empty file has no byte to name, so a position in it is unsatisfiable; the last n bytes of it are the whole file.
 */
export function evaluateRange(header: string | undefined, size: number): RangeOutcome {
  if (header === undefined) return WHOLE;
  const set = /^bytes=(.*)$/i.exec(header.trim())?.[1];
  if (set === undefined) return WHOLE;
  const specs = set
    .split(",")
    .map((spec) => spec.trim())
    .filter((spec) => spec !== "");
  if (specs.length === 0) return WHOLE;

  const outcomes: RangeOutcome[] = [];
  for (const spec of specs) {
    const outcome = evaluateSpec(spec, size);
    if (outcome === "invalid") return WHOLE;
    if (outcome.kind !== "unsatisfiable") outcomes.push(outcome);
  }
  const [only] = outcomes;
  if (only === undefined) return { kind: "unsatisfiable" };
  return outcomes.length === 1 ? only : WHOLE;
}

function evaluateSpec(spec: string, size: number): RangeOutcome | "invalid" {
  const match = SPEC.exec(spec);
  if (match === null) return "invalid";
  const [, first = "", last = ""] = match;
  if (first === "") {
    if (last === "") return "invalid";
    const length = position(last);
    if (length === 0) return { kind: "unsatisfiable" };
    return size === 0 ? WHOLE : { kind: "part", start: Math.max(0, size - length), end: size - 1 };
  }
  const start = position(first);
  if (last !== "" && isBefore(last, first)) return "invalid";
  if (start >= size) return { kind: "unsatisfiable" };
  return { kind: "part", start, end: last === "" ? size - 1 : Math.min(position(last), size - 1) };
}

/** Decimal digits as a number; what is beyond exact integers is beyond every file. */
function position(digits: string): number {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : Number.POSITIVE_INFINITY;
}

/** Compares as numbers of any length do. */
function isBefore(a: string, b: string): boolean {
  return BigInt(a) < BigInt(b);
}
