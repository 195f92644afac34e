import { buildName } from "../../bundle/build-name.ts";
import type { DiffReport } from "../../bundle/diff.ts";
import { shortDigest } from "../../lib/digest.ts";
import { printable } from "../../lib/printable.ts";
import { formatBytes } from "../../lib/size.ts";

const WHY = {
  files: "other files",
  bytes: "other bytes under the same names",
  build: "another recipe",
  needs: "other needs",
} as const satisfies Record<DiffReport["builds"]["changed"][number]["why"][number], string>;

/** What changed from an older bundle to a newer one, in words: builds, files, and what must cross the gap. */
export function renderDiff(report: DiffReport): string {
  const { from, to, builds, files } = report;
  const lines = [
    `from ${from.name} ${from.counter} of ${from.created} to ${to.name} ${to.counter} of ${to.created}`,
    ...section("builds", [
      ...builds.added.map((build) => `+ ${buildName(build)}`),
      ...builds.removed.map((build) => `- ${buildName(build)}`),
      ...builds.changed.map(
        (build) => `~ ${buildName(build)}: ${build.why.map((why) => WHY[why]).join(", ")}`,
      ),
    ]),
    ...section("files", [
      ...files.added.map(({ path, size }) => `+ ${path} (${formatBytes(size)})`),
      ...files.removed.map(({ path, size }) => `- ${path} (${formatBytes(size)})`),
      ...files.changed.flatMap(({ path, from: old, to: now }) => [
        `! ${path}: replaced under the same name`,
        `    was ${shortDigest(old.digest)} (${formatBytes(old.size)}) of ${old.updatedAt}`,
        `    now ${shortDigest(now.digest)} (${formatBytes(now.size)}) of ${now.updatedAt}`,
      ]),
    ]),
    "",
    `${files.unchanged} files unchanged; ${formatBytes(report.bytesToCarry)} of ${formatBytes(report.bytes)} are new`,
  ];
  return `${lines.map(printable).join("\n")}\n`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? ["", `${title}: no change`] : ["", title, ...lines.map((line) => `  ${line}`)];
}
