import { tmpdir } from "node:os";

/** What the benchmarks' options say. Each throws an Error in words for a text that cannot be understood. */

interface Text {
  type: "string";
  default: string;
}
interface Switch {
  type: "boolean";
  default: false;
}
interface CommonFlags {
  rounds: Text;
  only: Text;
  dir: Text;
  json: Switch;
  help: Switch;
}

/** The flags that every benchmark has, for `parseArgs`. */
export function commonFlags(cases: readonly string[]): CommonFlags {
  return {
    rounds: { type: "string", default: "5" },
    only: { type: "string", default: cases.join(",") },
    dir: { type: "string", default: tmpdir() },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  };
}

/** What they say. `dir`: where the temporary folder is made. */
export function readCommon<T extends string>(
  { rounds, only, dir, json }: { rounds: string; only: string; dir: string; json: boolean },
  cases: readonly T[],
): { rounds: number; cases: ReadonlySet<T>; dir: string; json: boolean } {
  return { rounds: count("--rounds", rounds), cases: caseNames("--only", only, cases), dir, json };
}

/** Names of cases, separated by commas. */
function caseNames<T extends string>(flag: string, text: string, cases: readonly T[]): Set<T> {
  return new Set(
    text.split(",").map((word) => {
      const found = cases.find((name) => name === word);
      if (found === undefined) throw new Error(`${flag}: ${word} is none of ${cases.join(", ")}`);
      return found;
    }),
  );
}

export function count(flag: string, text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error(`${flag} must be a whole number, not ${text}`);
  return Number(text);
}

export function bytes(flag: string, text: string): number {
  const found = /^([1-9]\d*)([KMG]?)$/.exec(text);
  if (found === null) throw new Error(`${flag} must be a number with K, M or G, not ${text}`);
  return Number(found[1]) * 1024 ** ["", "K", "M", "G"].indexOf(found[2] ?? "");
}
