import type { ImportReport } from "../../bundle/import-report.ts";
import { printable } from "../../lib/printable.ts";
import { formatBytes } from "../../lib/size.ts";

const OUTCOME: Readonly<Record<ImportReport["outcome"], string>> = {
  imported: "imported",
  repaired: "repaired: the store had the bundle, and what was absent or damaged is whole again",
  unchanged: "unchanged: the store had all of it",
};

/** What became of a bundle, in words. */
export function renderImport(report: ImportReport): string {
  const { signedBy, written, skipped, conflicts, prefer } = report;
  const signers = signedBy.map(({ keyId }) => keyId).join(", ");
  const lines = [
    `${report.name} ${report.counter}: ${OUTCOME[report.outcome]}`,
    `  from:      ${report.bundle}, made ${report.created}`,
    `  signed by: ${signers === "" ? "NOBODY that is trusted here (--allow-unsigned)" : signers}`,
    `  manifest:  ${report.manifest}`,
    `  serves:    ${report.files} files, ${amount(report.total)}`,
    `  written:   ${amount(written)}, every digest checked`,
    `  skipped:   ${amount(skipped)}, here and good already`,
    ...conflicts.map(
      ({ path, old, new: fresh }) =>
        `  conflict:  ${path}: the ${prefer ?? ""} bytes are served, ${(prefer === "old" ? old : fresh).digest}`,
    ),
  ];
  return `${lines.map(printable).join("\n")}\n`;
}

function amount({ contents, bytes }: ImportReport["total"]): string {
  return `${contents} contents (${formatBytes(bytes)})`;
}
