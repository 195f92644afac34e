import { TRUST_WORDS } from "../../bundle/document.ts";
import type { PlanReport } from "../../bundle/plan-report.ts";
import { lastPart } from "../../lib/last-part.ts";
import { printable } from "../../lib/printable.ts";
import { formatBytes } from "../../lib/size.ts";

/** A plan in words: every build with its files, then what is missing, then the sums. */
export function renderPlan(report: PlanReport): string {
  const files = new Map(report.files.map((file) => [file.path, file]));
  const lines = [`bundle ${report.name} (counter ${report.counter})`];
  const addFiles = (paths: readonly string[]): void => {
    for (const path of paths) {
      const file = files.get(path);
      if (file === undefined) continue;
      const here = file.inStore ? "in store" : "to fetch";
      lines.push(
        `    ${formatBytes(file.size).padStart(8)}  ${here}  ${lastPart(path)}`,
        `${" ".repeat(14)}${" ".repeat(10)}digest ${TRUST_WORDS[file.trust]}`,
      );
    }
  };
  for (const build of report.builds) {
    const asked = build.asked === build.version ? "" : ` (${build.asked})`;
    lines.push(
      "",
      `  ${build.engine} ${build.version}${asked}  ${build.arch}  ${build.variant}  ${formatBytes(build.bytes)}`,
    );
    if (build.note !== undefined) lines.push(`    note: ${build.note}`);
    if (build.python === undefined) addFiles(build.files);
    else {
      lines.push(...pythonLines(build.python));
      addFiles(build.files.filter((path) => !path.endsWith(".whl")));
    }
  }
  for (const extra of report.assets) {
    lines.push("", `  assets of ${extra.repo} ${extra.tag}  ${formatBytes(extra.bytes)}`);
    addFiles(extra.files);
  }
  lines.push("", ...renderMissing(report), ...renderTotals(report));
  return `${lines.map(printable).join("\n")}\n`;
}

/** Hundreds of wheels are summed up; `--json` names each. */
function pythonLines(python: NonNullable<PlanReport["builds"][number]["python"]>): string[] {
  const { packages, wheels, bytes, glibc, version, excludeNewer } = python;
  return [
    `    Python ${version}, ${packages} packages (an installation downloads ${formatBytes(bytes)}; ${wheels} wheels are carried, for some packages several)`,
    `    needs glibc ${glibc}; resolved as of ${excludeNewer}, a day after it was published`,
  ];
}

function renderMissing(report: PlanReport): string[] {
  if (report.missing.length === 0) return ["missing: nothing"];
  const count = report.missing.length === 1 ? "1 build" : `${report.missing.length} builds`;
  return [
    `MISSING: ${count} cannot be carried`,
    ...report.missing.map(
      ({ engine, version, arch, variant, reason }) =>
        `  ${engine} ${version}  ${arch}  ${variant}: ${reason}`,
    ),
    "  what to do: ask for another version, leave these out of the spec, or let --allow-missing record the gap in the bundle",
  ];
}

function renderTotals({ totals }: PlanReport): string[] {
  return [
    `files:       ${totals.files} (${formatBytes(totals.bytes)})`,
    `in store:    ${totals.inStore.files} (${formatBytes(totals.inStore.bytes)}); build hashes them again`,
    `to download: ${totals.download.files} (${formatBytes(totals.download.bytes)})`,
    `disk needed: ${formatBytes(totals.diskNeeded.store)} in the store, ${formatBytes(totals.diskNeeded.bundle)} for the bundle`,
  ];
}
