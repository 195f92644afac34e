import type { ExportedFolder } from "../../bundle/export-folder.ts";
import { printable } from "../../lib/printable.ts";
import { formatBytes } from "../../lib/size.ts";

/** What was written, in words. */
export function renderExportFolder(report: ExportedFolder): string {
  const { folder, engine, version, arch, variant, files, bytes, python, signed } = report;
  return [
    `${engine} ${version} ${arch} ${variant} is in ${folder}`,
    `  ${files} files, ${formatBytes(bytes)}: ${python.packages} packages for Python ${python.version}, glibc ${python.glibc} or newer`,
    ...(signed ? [] : ["  nobody's signature was checked"]),
    "  how to install it there: INSTALL.txt",
    "",
  ]
    .map(printable)
    .join("\n");
}
