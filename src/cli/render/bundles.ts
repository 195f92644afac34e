import type { BundlesReport, RemoveReport } from "../../bundle/store-bundles.ts";
import { printable } from "../../lib/printable.ts";
import { formatBytes } from "../../lib/size.ts";
import { columns } from "./columns.ts";

/** What a store holds, a line a bundle. */
export function renderBundles({ store, bundles, unreadable, unfinished }: BundlesReport): string {
  const rows = bundles.map((bundle) => [
    `${bundle.name}@${bundle.counter}`,
    bundle.importedAt === null ? "built here, never imported" : `imported ${bundle.importedAt}`,
    signers(bundle.signedBy),
    `${bundle.builds} builds`,
    `${bundle.files} files`,
    formatBytes(bundle.bytes),
    [
      bundle.absent === 0 ? "" : `${bundle.absent} CONTENTS ABSENT`,
      bundle.yields ? "yields to earlier bundles" : "",
    ]
      .filter((note) => note !== "")
      .join(", "),
  ]);
  const lines = [
    `${store}: ${bundles.length === 0 ? "no bundle" : count(bundles.length)}`,
    ...columns(rows, "  "),
    ...unreadable.map(({ bundle, reason }) => `  ${bundle}  UNREADABLE: ${reason}`),
    ...unfinished.map((what) => `  ${what}: import not finished (running, or to be run again)`),
  ];
  return `${lines.map(printable).join("\n")}\n`;
}

function count(bundles: number): string {
  return bundles === 1 ? "1 bundle" : `${bundles} bundles`;
}

function signers(signedBy: readonly string[] | null): string {
  if (signedBy === null) return "never checked";
  return signedBy.length === 0 ? "UNSIGNED" : `signed by ${signedBy.join(", ")}`;
}

export function renderRemove({ removed, left }: RemoveReport): string {
  const lines = removed.map(({ name, counter, manifest }) => `removed ${name}@${counter} (${manifest})`);
  const rest = left === 0 ? "the store has no other bundle" : `the store still has ${count(left)}`;
  return `${[...lines, `${rest}; the disk is freed by: ferry gc`].map(printable).join("\n")}\n`;
}
