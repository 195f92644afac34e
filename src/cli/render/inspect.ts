import { buildName } from "../../bundle/build-name.ts";
import { TRUST_WORDS } from "../../bundle/document.ts";
import type { InspectReport } from "../../bundle/inspect.ts";
import { printable } from "../../lib/printable.ts";
import { formatBytes } from "../../lib/size.ts";

type Needs = InspectReport["engines"][number]["builds"][number]["needs"];

/** What is in a bundle, by engine, in words; first of all whether the signature was checked. */
export function renderInspect(report: InspectReport): string {
  const lines = [
    `${report.name} ${report.counter}, made ${report.created}: ${report.bundle}`,
    `  ${renderSignature(report.signature)}`,
    `  ${report.files.length} files, ${formatBytes(report.bytes)}`,
    ...report.engines.flatMap(renderEngine),
    ...renderPython(report),
    ...renderOthers(report),
    ...renderTrust(report),
    ...renderMissing(report),
  ];
  return `${lines.map(printable).join("\n")}\n`;
}

function renderSignature({ checked, signedBy, claims }: InspectReport["signature"]): string {
  if (checked) return `signature checked: signed by ${signedBy.map(({ keyId }) => keyId).join(", ")}`;
  if (claims.length === 0) return "NOT SIGNED: anybody may have written this";
  return `signature NOT checked: it claims to be of key ${claims.map(({ keyId }) => keyId).join(", ")} (give --key PUB.pem to check it)`;
}

function renderEngine({ engine, version, bytes, builds }: InspectReport["engines"][number]): string[] {
  const variants = Math.max(...builds.map(({ variant }) => variant.length));
  return [
    "",
    `${engine} ${version}  ${formatBytes(bytes)}`,
    ...builds.map((build) => {
      const files = build.files.length === 1 ? "1 file" : `${build.files.length} files`;
      const size = formatBytes(build.bytes).padStart(8);
      return `  ${build.arch}  ${build.variant.padEnd(variants)}  ${size}  ${files}${renderPythonBuild(build.python)}${renderNeeds(build.needs)}`;
    }),
  ];
}

function renderPythonBuild(python: InspectReport["engines"][number]["builds"][number]["python"]): string {
  if (python === undefined) return "";
  const { version, packages, glibc } = python;
  return `; Python ${version}, ${packages} packages, glibc ${glibc}`;
}

function renderPython({ python }: InspectReport): string[] {
  if (python === undefined) return [];
  const { uv, resolvedBy = uv, closure, notCarried } = python;
  return [
    "",
    closure === "proven"
      ? `Python: uv ${uv} is carried; resolved by uv ${resolvedBy}, and proven to resolve from this bundle alone`
      : `Python: uv ${uv} is carried; resolved by uv ${resolvedBy}; NOT proven to resolve from this bundle alone (--skip-closure)`,
    ...notCarried.map(({ engine, what }) => `  not carried, ${engine} fetches it when it runs: ${what}`),
  ];
}

function renderNeeds({ nvidia, driver, cc }: Needs): string {
  const needs = [
    nvidia ? "an NVIDIA card" : "",
    driver === undefined ? "" : `driver ${driver} or newer`,
    cc?.min === undefined ? "" : `compute capability ${cc.min.toFixed(1)} or more`,
    cc?.max === undefined ? "" : `compute capability ${cc.max.toFixed(1)} or less`,
  ].filter((need) => need !== "");
  return needs.length === 0 ? "" : `; needs ${needs.join(", ")}`;
}

function renderOthers({ files, otherFiles }: InspectReport): string[] {
  if (otherFiles.length === 0) return [];
  const sizes = new Map(files.map(({ path, size }) => [path, size]));
  return [
    "",
    "other files",
    ...otherFiles.map((path) => `  ${formatBytes(sizes.get(path) ?? 0).padStart(8)}  ${path}`),
  ];
}

function renderTrust({ files }: InspectReport): string[] {
  const counts = new Map<keyof typeof TRUST_WORDS, number>();
  for (const { trust } of files) counts.set(trust, (counts.get(trust) ?? 0) + 1);
  const parts = [...counts].map(([trust, count]) => `${count} ${TRUST_WORDS[trust]}`);
  return parts.length === 0 ? [] : ["", `digests: ${parts.join(", ")}`];
}

function renderMissing({ missing }: InspectReport): string[] {
  if (missing.length === 0) return [];
  return [
    "",
    "MISSING, as the builder allowed",
    ...missing.map((gap) => `  ${buildName(gap)}: ${gap.reason}`),
  ];
}
