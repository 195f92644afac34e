import { parseArgs } from "node:util";
import { bytes, commonFlags, count, readCommon } from "../support/options.ts";

export const CASES = ["large", "small", "many", "cold", "catalog"] as const;
export type CaseName = (typeof CASES)[number];

export interface Options {
  /** Bytes of the large file. */
  size: number;
  rounds: number;
  /** Seconds of each run of small requests. */
  seconds: number;
  /** Clients of the case `many`. */
  clients: number;
  cases: ReadonlySet<CaseName>;
  json: boolean;
  /** Where the temporary folder is made. */
  dir: string;
  /** Run the sources through tsx instead of compiling them first. */
  sources: boolean;
}

export const USAGE = `npm run bench:serve -- [options]
  --size N      bytes of the large file, with K, M or G (default 2G)
  --rounds N    paired rounds, of which the median counts (default 5)
  --seconds N   length of a run of small requests (default 3)
  --clients N   clients at once in the case many (default 256)
  --only A,B    some of: ${CASES.join(", ")}
  --dir FOLDER  where the temporary folder is made (default: the system's)
  --sources     run the sources as they are, without compiling them first
  --json        one JSON document instead of the table
A quick trial: --size 128M --rounds 1 --seconds 1 --clients 64`;

/** Throws an Error in words for an option that cannot be understood. */
export function readOptions(argv: readonly string[]): Options | "help" {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      ...commonFlags(CASES),
      size: { type: "string", default: "2G" },
      seconds: { type: "string", default: "3" },
      clients: { type: "string", default: "256" },
      sources: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  return {
    ...readCommon(values, CASES),
    size: bytes("--size", values.size),
    seconds: count("--seconds", values.seconds),
    clients: count("--clients", values.clients),
    sources: values.sources,
  };
}
