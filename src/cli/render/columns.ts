import { printable } from "../../lib/printable.ts";

/** Rows as aligned columns, two spaces apart, without spaces at the ends of lines. */
export function columns(rows: readonly (readonly string[])[], indent = ""): string[] {
  const safe = rows.map((row) => row.map(printable));
  const widths = (safe[0] ?? []).map((_, i) => Math.max(...safe.map((row) => row[i]?.length ?? 0)));
  return safe.map((row) =>
    `${indent}${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ")}`.trimEnd(),
  );
}
