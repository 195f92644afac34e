import { printable } from "../../lib/printable.ts";
import { formatBytes } from "../../lib/size.ts";
import type { GcReport } from "../gc-report.ts";

/** What went, or would go, and what stayed for which reason. */
export function renderGc(report: GcReport): string {
  const { blobs, unfinished, bytes, kept, imports, dryRun, graceHours } = report;
  const verb = dryRun ? "would delete" : "deleted";
  const lines = [
    ...blobs.map(({ digest, size }) => `${verb} ${digest}  ${formatBytes(size)}`),
    ...unfinished.map(({ path, size }) => `${verb} ${path}  ${formatBytes(size)}`),
    `${verb}: ${blobs.length} blobs that nothing names, ${unfinished.length} unfinished files, ${formatBytes(bytes)}`,
    `kept: ${kept.named} blobs that bundles name, ${kept.young} younger than ${graceHours} hours, ${kept.importing} of unfinished imports`,
    ...imports.map(
      (what) =>
        `unfinished import: ${what} (import it again to finish it; to give it up, remove its mark from ${report.store}/ferry/importing)`,
    ),
  ];
  return `${lines.map(printable).join("\n")}\n`;
}
