/**
 * Sizes of the wheels in a real lock of vLLM, in kB, at equal steps from its smallest to its largest: scaled down, and
 * between 20 kB and 40 MB. Half of them are smaller than 200 kB, and a tenth makes up three quarters of the bytes.
 */
const QUANTILES = [
  20, 20, 20, 20, 20, 20, 20, 20, 23, 28, 42, 46, 51, 56, 66, 82, 88, 98, 116, 155, 175, 225, 258, 321, 375,
  564, 600, 857, 1240, 1639, 1983, 2661, 3619, 5001, 5631, 11624, 32920, 40000, 40000, 40000, 40000,
];

/** Sizes in bytes of so many wheels, `total` together, in an order that mixes large and small as a lock does. */
export function wheelSizes(count: number, total: number): number[] {
  const shares = Array.from({ length: count }, (_, at) => quantile(at / (count - 1)));
  const sum = shares.reduce((all, each) => all + each, 0);
  // A step that has no divisor in common with the count comes by every place once.
  const step = 77;
  return shares.map((_, at) => Math.round(((shares[(at * step) % count] ?? 0) * total) / sum));
}

/** Between two known sizes in proportion, not by difference: they differ by factors. */
function quantile(at: number): number {
  const place = at * (QUANTILES.length - 1);
  const below = Math.min(Math.floor(place), QUANTILES.length - 2);
  const [from = 1, to = 1] = QUANTILES.slice(below, below + 2);
  return from * (to / from) ** (place - below);
}
