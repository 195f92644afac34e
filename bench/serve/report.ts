import type { Spread } from "../build/stats.ts";
import type { Row } from "./row.ts";

export interface Report {
  /** What everything ran on. */
  machine: string;
  /** What the names in the table stand for. */
  notes: readonly string[];
  rows: readonly Row[];
}

/** The report as Markdown. */
export function renderReport({ machine, notes, rows }: Report): string {
  const judged = rows.filter((row) => row.met !== undefined);
  const missed = judged.filter((row) => row.met === false).map((row) => row.what);
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
      ? `All ${judged.length} targets are met.`
      : `MISSED ${missed.length} of ${judged.length} targets: ${missed.join("; ")}.`,
    "",
  ].join("\n");
}

function renderRow({ what, unit, ours, other, ratio, target, met }: Row): string {
  const amount = (value: number): string => `${figure(value)} ${unit}`;
  const wanted = (value: number): string => (ratio === undefined ? amount(value) : value.toFixed(2));
  const cells = [
    what,
    withRange(ours, amount),
    other === undefined ? "" : `${other.name}: ${withRange(other.value, amount)}`,
    ratio === undefined
      ? ""
      : `**${ratio.median.toFixed(2)}** (${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)})`,
    target === undefined ? "" : "least" in target ? `≥ ${wanted(target.least)}` : `≤ ${wanted(target.most)}`,
    met === undefined ? "" : met ? "yes" : "**no**",
  ];
  return `| ${cells.join(" | ")} |`;
}

function withRange({ median, min, max }: Spread, amount: (value: number) => string): string {
  return min === max ? amount(median) : `${amount(median)} (${figure(min)}–${figure(max)})`;
}

function figure(value: number): string {
  if (value >= 100 || Number.isInteger(value)) return String(Math.round(value));
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
