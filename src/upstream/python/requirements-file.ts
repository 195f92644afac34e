import { FerryError } from "../../errors.ts";

const NAME = String.raw`[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?`;
const EXTRAS = String.raw`(?:\s*\[[A-Za-z0-9._,\s-]*\])?`;
const CLAUSE = String.raw`(?:===|~=|==|!=|<=|>=|<|>)\s*[A-Za-z0-9.*+!_-]+`;
const MARKER = String.raw`(?:\s*;[\w\s"'.<>=!~()+*-]+)?`;
const PLAIN = new RegExp(`^${NAME}${EXTRAS}(?:\\s*${CLAUSE}(?:\\s*,\\s*${CLAUSE})*)?${MARKER}$`);

/**
 * The requirements of a source archive's file, a line each: names with versions, extras and markers. Everything else
 * would have uv read other files, other indexes or code from elsewhere (P19): PYTHON_REQUIREMENTS names file and line.
 */
export function readRequirements(text: string, file: string): string[] {
  return text
    .replace(/^\ufeff/, "")
    .split(/\r\n|\r|\n/)
    .flatMap((line, index) => {
      const bare = line.replace(/(^|\s+)#.*$/, "").trim();
      if (bare === "") return [];
      if (!PLAIN.test(bare)) throw refused(file, index + 1, bare);
      return [bare];
    });
}

function refused(file: string, line: number, found: string): FerryError {
  const shown = found.length > 120 ? `${found.slice(0, 120)}…` : found;
  return new FerryError(
    "PYTHON_REQUIREMENTS",
    `${file}, line ${line}: ${JSON.stringify(shown)} is no plain requirement such as name>=1.0`,
    {
      hint: "Only packages of the index can be carried. Write a recipe in an overlay that has its own requirements instead of this file.",
      details: { file, line, found: shown },
    },
  );
}
