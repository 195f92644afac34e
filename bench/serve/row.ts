import { type Spread, spread } from "../build/stats.ts";

/** One line of the table: a figure of ours beside another's, and what is wanted of their ratio or of ours alone. */
export interface Row {
  what: string;
  /** How figures are written. */
  unit: "GB/s" | "req/s" | "s/GB" | "ms" | "s" | "MB" | "errors" | "wheels";
  ours: Spread;
  other?: { name: string; value: Spread };
  ratio?: Spread;
  target?: { least: number } | { most: number };
  /** undefined where nothing is wanted. */
  met?: boolean;
}

export type Target = NonNullable<Row["target"]>;

/** Compares figures round by round, because what else the machine does is alike only there. */
export function compare(
  what: string,
  unit: Row["unit"],
  ours: readonly number[],
  other: { name: string; values: readonly number[] },
  target?: Target,
): Row {
  const ratio = spread(ours.map((value, round) => value / (other.values[round] ?? Number.NaN)));
  return {
    what,
    unit,
    ours: spread(ours),
    other: { name: other.name, value: spread(other.values) },
    ratio,
    ...judged(ratio.median, target),
  };
}

/** Holds figures of ours to a limit, by their worst. */
export function limit(what: string, unit: Row["unit"], ours: readonly number[], target?: Target): Row {
  const value = spread(ours);
  return {
    what,
    unit,
    ours: value,
    ...judged(target !== undefined && "least" in target ? value.min : value.max, target),
  };
}

function judged(value: number, target: Target | undefined): Pick<Row, "target" | "met"> {
  if (target === undefined) return {};
  return { target, met: "least" in target ? value >= target.least : value <= target.most };
}
