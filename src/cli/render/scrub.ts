import type { ScrubReport } from "../../bundle/scrub.ts";
import { printable } from "../../lib/printable.ts";
import { formatBytes } from "../../lib/size.ts";

/** What is damaged, where it is served, and how much was looked at. */
export function renderScrub(report: ScrubReport): string {
  const { store, bundles, checked, damaged, unreadable } = report;
  const repair = [...new Set([...damaged.flatMap((blob) => blob.bundles), ...unreadable])].sort();
  const lines = [
    ...damaged.flatMap((blob) => [
      `${blob.state.toUpperCase()} ${blob.digest}: ${KIND[blob.kind]}${blob.bundles.length === 0 ? "" : ` of ${blob.bundles.join(", ")}`}`,
      ...blob.paths.map((path) => `  ${path}`),
    ]),
    ...unreadable.map(
      (bundle) => `UNREADABLE ${bundle}: its record is damaged, so what it needs is not known`,
    ),
    `${store}: ${summary(bundles, checked, damaged.length)}`,
    ...(repair.length === 0
      ? []
      : [`to repair, import again: ${repair.join(", ")} (only what is damaged is written)`]),
    ...(damaged.some((blob) => blob.kind === "unnamed")
      ? ["what no bundle names is removed by: ferry gc"]
      : []),
  ];
  return `${lines.map(printable).join("\n")}\n`;
}

const KIND: Readonly<Record<ScrubReport["damaged"][number]["kind"], string>> = {
  file: "a file",
  manifest: "the manifest",
  document: "the document",
  signature: "the signature",
  unnamed: "named by no bundle",
};

function summary(bundles: number, { blobs, bytes }: ScrubReport["checked"], damaged: number): string {
  if (bundles === 0 && blobs === 0) return "NOTHING WAS CHECKED: the store is empty";
  const result = damaged === 0 ? "all good" : `${damaged} damaged or absent`;
  return `${bundles === 1 ? "1 bundle" : `${bundles} bundles`}, ${blobs} blobs (${formatBytes(bytes)}) hashed: ${result}`;
}
