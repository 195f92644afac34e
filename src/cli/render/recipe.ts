import { stringify } from "yaml";
import { printable } from "../../lib/printable.ts";
import { formatCc } from "../../recipe/needs.ts";
import type {
  RecipeBuildsReport,
  RecipeCheckReport,
  RecipeListReport,
  RecipeShowReport,
} from "../recipe-reports.ts";
import { columns } from "./columns.ts";

type Offer = RecipeBuildsReport["builds"][number];

/** Every engine in a line: where it is published, for which architectures, as which builds. */
export function renderRecipeList(report: RecipeListReport): string {
  const rows = report.engines.map(({ engine, label, tool, github, pypi, arch, variants, overlay }) => [
    engine,
    `${label}${tool ? " (tool)" : ""}${overlay ? " (overlay)" : ""}`,
    arch.join(","),
    variants.join(" "),
    github ?? (pypi === null ? "" : `Python index: ${pypi}`),
  ]);
  return text(columns([["ENGINE", "NAME", "ARCH", "BUILDS", "PUBLISHED AT"], ...rows]));
}

/** The recipe as YAML, so that it can be copied into an overlay and changed. */
export function renderRecipeShow({ origin, overlay, recipe }: RecipeShowReport): string {
  const whence = overlay ? "from your overlay" : "built in";
  return `# ${printable(origin)} (${whence})\n${stringify(recipe)}`;
}

/** Builds best first: what each is called, what it needs, what it takes. */
export function renderRecipeBuilds(report: RecipeBuildsReport): string {
  const lines = report.builds.flatMap(renderOffer);
  if (report.fallbacks.length === 0) return text(lines);
  return text([
    ...lines,
    "",
    "for older cards, carried only where a spec lists that version:",
    ...report.fallbacks.flatMap(renderOffer),
  ]);
}

function renderOffer({ build, needs, release }: Offer): string[] {
  const version = build.version === undefined ? "" : ` (version ${build.version})`;
  const takes: [string, string][] = [
    ["note", build.note ?? ""],
    ["needs", needsInWords(needs)],
    ...(build.assets ?? []).map((name): [string, string] => [
      "asset",
      `${release?.repo ?? ""} ${release?.tag ?? ""} ${name}`.trim(),
    ]),
    ...(build.requirements ?? []).map((requirement): [string, string] => ["package", requirement]),
    [
      "wheel",
      build.wheel === undefined
        ? ""
        : `${build.wheel.repo} ${build.wheel.tag} ${build.wheel.prefix}*${build.wheel.suffix}`,
    ],
    ["source", build.source === undefined ? "" : `${build.source.url} sha256:${build.source.sha256}`],
    ["index", build.extraIndex ?? ""],
    ["python", build.python ?? ""],
  ];
  return [
    `${printable(build.variant)}${printable(version)}`,
    ...columns(
      takes.filter(([, value]) => value !== ""),
      "  ",
    ),
  ];
}

function needsInWords({ nvidia, driver, cc }: Offer["needs"]): string {
  const words = [
    driver === undefined ? (nvidia ? "an NVIDIA card" : "") : `NVIDIA driver ${driver} or newer`,
    cc?.min === undefined ? "" : `compute capability ${formatCc(cc.min)} or more`,
    cc?.max === undefined ? "" : `compute capability ${formatCc(cc.max)} or less`,
  ].filter((word) => word !== "");
  return words.length === 0 ? "no GPU" : words.join(", ");
}

/** How many cases were asked of which engine, and what came out otherwise. */
export function renderRecipeCheck({ cases, engines }: RecipeCheckReport): string {
  const rows = engines.map(({ engine, cases: asked, failures }) => [
    engine,
    `${asked} ${asked === 1 ? "case" : "cases"}`,
    failures.length === 0 ? "all as written" : `${failures.length} otherwise`,
  ]);
  return text([...columns(rows), `${cases} cases of ${engines.length} recipes`]);
}

function text(lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}
