import { parseArgs } from "node:util";
import { bytes, commonFlags, count, readCommon } from "../support/options.ts";

export const CASES = ["download", "limited", "pack", "verify", "memory", "startup"] as const;
export type CaseName = (typeof CASES)[number];

export interface Options {
  /** Bytes of all files together. */
  size: number;
  files: number;
  rounds: number;
  cases: ReadonlySet<CaseName>;
  /** Also carries one file of `largeSize` bytes through build and verify, for the memory that takes. */
  large: boolean;
  largeSize: number;
  json: boolean;
  /** Where the temporary folder is made: its disk is part of what is measured. */
  dir: string;
}

export const USAGE = `npm run bench:build -- [options]
  --size N        bytes of all files together, with K, M or G (default 2G)
  --files N       number of files (default 30)
  --rounds N      paired rounds, of which the median counts (default 5)
  --only A,B      some of: ${CASES.join(", ")}
  --large         also build and verify one file of --large-size (needs twice that much disk)
  --large-size N  default 20G
  --dir FOLDER    where the temporary folder is made (default: the system's)
  --json          one JSON document instead of the table
A quick trial: --size 64M --files 4 --rounds 1`;

/** Throws an Error in words for an option that cannot be understood. */
export function readOptions(argv: readonly string[]): Options | "help" {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      ...commonFlags(CASES),
      size: { type: "string", default: "2G" },
      files: { type: "string", default: "30" },
      large: { type: "boolean", default: false },
      "large-size": { type: "string", default: "20G" },
    },
  });
  if (values.help) return "help";
  return {
    ...readCommon(values, CASES),
    size: bytes("--size", values.size),
    files: count("--files", values.files),
    large: values.large,
    largeSize: bytes("--large-size", values["large-size"]),
  };
}
