import { FerryError } from "../../errors.ts";
import { hexOf } from "../../lib/digest.ts";
import { normaliseProject } from "../../wire/wheel-name.ts";
import { readRequirements } from "./requirements-file.ts";
import type { PythonRequest } from "./types.ts";

/**
 * What uv is asked for, a line each: the release's wheel, the recipe's lines, those of the source archive, and each
 * package of the second index that none of them names (an index is asked only for what is required directly).
 */
export function requirementsOf(request: PythonRequest): string[] {
  const { build, wheel, sourceRequirements } = request;
  const lines = [
    ...(wheel === undefined ? [] : [wheelLine(request, wheel)]),
    ...(build.requirements ?? []).map(checkAddress),
    ...(sourceRequirements === undefined
      ? []
      : readRequirements(sourceRequirements.text, sourceRequirements.file)),
  ];
  if (build.wheel !== undefined && wheel === undefined) {
    throw new Error(`the wheel of ${build.wheel.repo} ${build.wheel.tag} was not looked up`);
  }
  const named = new Set(lines.map(projectOf));
  const missing = (build.indexPackages ?? []).filter((name) => !named.has(normaliseProject(name)));
  return [...lines, ...missing];
}

/** `vLLM 0.30.0 cu13 for amd64`, as messages name it. */
export function titleOf({ label, build, version, arch }: PythonRequest): string {
  return `${label} ${build.version ?? version} ${build.variant} for ${arch}`;
}

/** The project that a requirement is of, normalised. */
export function projectOf(requirement: string): string {
  return normaliseProject(/^\s*([A-Za-z0-9][A-Za-z0-9._-]*)/.exec(requirement)?.[1] ?? "");
}

function wheelLine({ build, engine }: PythonRequest, wheel: NonNullable<PythonRequest["wheel"]>): string {
  return `${build.wheel?.project ?? engine} @ ${wheel.url}#sha256=${hexOf(wheel.digest)}`;
}

/** Without a digest behind the address uv would believe whatever it gets, and read the whole wheel to learn its digest. */
function checkAddress(line: string): string {
  if (!/^[^;]*@/.test(line) || /#sha256=[0-9a-f]{64}(\s*;.*)?$/.test(line)) return line;
  throw new FerryError(
    "PYTHON_REQUIREMENTS",
    `the recipe's requirement ${JSON.stringify(line)} has an address without a digest`,
    {
      hint: "Write #sha256= and the wheel's digest, 64 hexadecimal digits, behind the address in the recipe.",
    },
  );
}
