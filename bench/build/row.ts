import type { Sample } from "./rounds.ts";
import { ratios, type Spread, spread } from "./stats.ts";

/** One line of the table. Every unit is that of `unit`; `ratio` is missing where a limit is absolute. */
export interface Row {
  what: string;
  unit: "s" | "s cpu" | "bytes";
  ours: Spread;
  other: { name: string; value: Spread } | undefined;
  ratio: Spread | undefined;
  /** Most that is wanted: of the ratio where there is one, else of ours. */
  target: number;
  met: boolean;
}

interface Rival {
  name: string;
  samples: readonly Sample[];
}

/** Compares one quantity of our runs with that of another's. */
export function compareRow(
  what: string,
  pick: "wall" | "cpu",
  ours: readonly Sample[],
  { name, samples }: Rival,
  target: number,
): Row {
  const mine = ours.map((sample) => sample[pick]);
  const theirs = samples.map((sample) => sample[pick]);
  const ratio = ratios(mine, theirs);
  return {
    what,
    unit: pick === "wall" ? "s" : "s cpu",
    ours: spread(mine),
    other: { name, value: spread(theirs) },
    ratio,
    target,
    met: ratio.median <= target,
  };
}

/** Holds one quantity of ours, in bytes, to a limit. */
export function limitRow(what: string, values: readonly number[], target: number): Row {
  const ours = spread(values);
  return { what, unit: "bytes", ours, other: undefined, ratio: undefined, target, met: ours.max <= target };
}
