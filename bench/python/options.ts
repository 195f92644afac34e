import { parseArgs } from "node:util";
import { commonFlags, count, readCommon } from "../support/options.ts";

export const CASES = ["pages", "install", "compile", "download"] as const;
export type CaseName = (typeof CASES)[number];

export interface Options {
  rounds: number;
  /** Seconds of each run of small requests. */
  seconds: number;
  /** Bytes of the wheels that are downloaded. */
  size: number;
  cases: ReadonlySet<CaseName>;
  json: boolean;
  /** Where the temporary folder is made. */
  dir: string;
  /** Run the sources through tsx instead of compiling them first. */
  sources: boolean;
}

export const USAGE = `npm run bench:python -- [options]
  --rounds N    paired rounds, of which the median counts (default 5)
  --seconds N   length of a run of small requests (default 3)
  --size MIB    together, the 200 wheels that are downloaded (default 1024)
  --only A,B    some of: ${CASES.join(", ")}
  --dir FOLDER  where the temporary folder is made (default: the system's)
  --sources     run the sources as they are, without compiling them first
  --json        one JSON document instead of the table
A quick trial: --rounds 1 --seconds 1 --size 64`;

/** Throws an Error in words for an option that cannot be understood. */
export function readOptions(argv: readonly string[]): Options | "help" {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      ...commonFlags(CASES),
      seconds: { type: "string", default: "3" },
      size: { type: "string", default: "1024" },
      sources: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  return {
    ...readCommon(values, CASES),
    seconds: count("--seconds", values.seconds),
    size: count("--size", values.size) * 2 ** 20,
    sources: values.sources,
  };
}
