import type { Row } from "./row.ts";
import type { Spread } from "./stats.ts";

export interface Report {
  /** What everything ran on. */
  machine: string;
  /** What the names in the table stand for. */
  notes: readonly string[];
  rows: readonly Row[];
}

/** The report as Markdown. */
export function renderReport({ machine, notes, rows }: Report): string {
  const missed = rows
    .filter((row) => !row.met)
    .map(({ what, other }) => (other === undefined ? what : `${what} (${other.name})`));
  return [
    "| what | ours | other | ratio | target | met |",
    "|---|---|---|---|---|---|",
    ...rows.map(renderRow),
    "",
    `Medians, and in brackets the least and the most, which is the noise. Ratios are those of runs of one round. ${machine}`,
    "",
    ...notes.map((note) => `- ${note}`),
    "",
    missed.length === 0
      ? `All ${rows.length} targets are met.`
      : `MISSED ${missed.length} of ${rows.length} targets: ${missed.join("; ")}.`,
    "",
  ].join("\n");
}

function renderRow({ what, unit, ours, other, ratio, target, met }: Row): string {
  const amount = (value: number): string => (unit === "bytes" ? megabytes(value) : seconds(value));
  const cells = [
    what,
    withRange(ours, amount),
    other === undefined ? "" : `${other.name}: ${withRange(other.value, amount)}`,
    ratio === undefined ? "" : `**${factor(ratio.median)}** (${factor(ratio.min)}–${factor(ratio.max)})`,
    ratio === undefined ? `≤ ${amount(target)}` : `≤ ${factor(target)}`,
    met ? "yes" : "**no**",
  ];
  return `| ${cells.join(" | ")} |`;
}

function withRange({ median, min, max }: Spread, amount: (value: number) => string): string {
  return min === max ? amount(median) : `${amount(median)} (${amount(min)}–${amount(max)})`;
}

function factor(value: number): string {
  return value.toFixed(2);
}

function seconds(value: number): string {
  return value < 1 ? `${Math.round(value * 1000)} ms` : `${value.toFixed(2)} s`;
}

function megabytes(value: number): string {
  return `${Math.round(value / 1e6)} MB`;
}
