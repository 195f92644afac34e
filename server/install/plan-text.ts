import { hexOf } from "../../src/lib/digest.ts";
import type { Candidate, InstallPlan } from "./install-plan.ts";
import { isArgument, plainLine } from "./safe-words.ts";

/**
 * The plan for a shell script: one thing a line, a key, a space, and words that need no quoting, or text for people. The
 * grammar is in docs/install.md; the script refuses a plan that holds any other line, or whose last line is not `end`.
 */
export function planText(plan: InstallPlan): string {
  const lines = [
    "ferry-plan 1",
    `engine ${plan.engine}`,
    `version ${plan.version}`,
    `arch ${plan.host.arch}`,
  ];
  lines.push(`label ${plainLine(plan.label)}`);
  lines.push(...plan.left.map(({ variant, reason }) => `left ${plainLine(`${variant}: ${reason}`)}`));
  const { refusal } = plan;
  if (refusal === undefined) {
    lines.push(...plan.candidates.flatMap(candidateLines));
  } else {
    lines.push(`refused ${refusal.exitCode}`);
    lines.push(...textLines("say", refusal.message));
    if (refusal.hint !== undefined) lines.push(...textLines("say", refusal.hint));
    lines.push(...refusal.carried.flatMap((line) => textLines("carried", line)));
    if (refusal.spec !== undefined) lines.push(...textLines("spec", refusal.spec));
  }
  return `${[...lines, "end"].join("\n")}\n`;
}

function candidateLines(candidate: Candidate, index: number): string[] {
  const { bundle, packages } = candidate;
  const list = (key: string, words: readonly string[]): string[] =>
    words.length === 0 ? [] : [`${key} ${words.join(" ")}`];
  const one = (key: string, value: string | number | undefined): string[] =>
    value === undefined ? [] : [`${key} ${value}`];
  return [
    `candidate ${index + 1} ${candidate.variant} ${candidate.version}`,
    `bundle ${bundle.name}-${bundle.counter} ${hexOf(bundle.manifest)}`,
    ...pythonLines(candidate),
    ...one("dir", candidate.dir),
    `binary ${candidate.binary}`,
    ...argumentLines(candidate.versionArgs),
    ...one("backend", candidate.gpuBackend),
    ...one("devices", candidate.devices),
    ...list("cpu", candidate.cpuFlags),
    ...list("deb", packages.deb),
    ...list("rpm", packages.rpm),
    ...one("free", candidate.freeBytes),
    ...(candidate.note === undefined ? [] : textLines("note", candidate.note)),
    ...candidate.files.map((file) => {
      const kind = "role" in file ? file.role : file.archive;
      return `file ${hexOf(file.digest)} ${file.size} ${kind} ${file.path}`;
    }),
  ];
}

function pythonLines({ python }: Candidate): string[] {
  if (python === undefined) return [];
  const { version, glibc, packages, wheelBytes, source, gpuCheck } = python;
  return [
    `python ${version}`,
    `glibc ${glibc}`,
    `wheels ${packages} ${wheelBytes}`,
    ...(source === undefined ? [] : [`source ${source.dir} ${source.top}`]),
    ...(gpuCheck ? ["gpucheck torch"] : []),
  ];
}

/** Plain words in one line; where one is not plain, each in a line of its own, as canonical JSON has it. */
function argumentLines(words: readonly string[]): string[] {
  if (words.every(isArgument)) return [`args ${words.join(" ")}`];
  return words.map((word) => `argument ${JSON.stringify(word)}`);
}

/** A text's own lines keep their indentation: a spec is to be copied. */
function textLines(key: string, text: string): string[] {
  return text.split("\n").map((line) => {
    const indent = /^ */.exec(line)?.[0] ?? "";
    return `${key} ${indent}${plainLine(line)}`.trimEnd();
  });
}
