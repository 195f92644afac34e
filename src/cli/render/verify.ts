import type { VerifyReport } from "../../bundle/verify.ts";
import { printable } from "../../lib/printable.ts";
import { formatBytes } from "../../lib/size.ts";

/** What was verified, in words. */
export function renderVerify(report: VerifyReport): string {
  const keys = report.signedBy.map(({ keyId }) => keyId).join(", ");
  const shared = report.contents === report.files ? "" : ` in ${report.contents} distinct contents`;
  return [
    `verified: ${report.bundle}`,
    `  bundle:    ${report.name} ${report.counter}, made ${report.created}`,
    `  signed by: ${keys}`,
    `  manifest:  ${report.manifest}`,
    `  content:   ${report.files} files${shared}, ${formatBytes(report.bytes)}, every digest checked, nothing unlisted`,
    "",
  ]
    .map(printable)
    .join("\n");
}
