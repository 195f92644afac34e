/** Some measurements of one thing. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    min: at(0),
    max: at(sorted.length - 1),
  };
}

/** The ratio within each round, because what else the machine does is alike only there. */
export function ratios(ours: readonly number[], other: readonly number[]): Spread {
  return spread(ours.map((value, round) => value / (other[round] ?? Number.NaN)));
}
