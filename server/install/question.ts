import { z } from "zod";
import type { Host } from "../../src/recipe/host.ts";
import { WORD } from "./safe-words.ts";

/** What a node says of itself. */
export interface NodeHost extends Host {
  /** `2.36`; empty: unknown. Python builds say what they need; for others the node sees it by running them. */
  glibc: string;
}

/** A node's question: what may I install, and how? */
export interface InstallQuestion {
  engine: string;
  version: string;
  /** Empty: the best that fits. */
  variant: string;
  /** Id of the key that the node trusts: bundles that it signed are taken first. Empty: any. */
  key: string;
  host: NodeHost;
}

const Word = z.string().max(64).regex(WORD, "must be letters, digits, dots, dashes, underscores or +");

const Parameters = z.strictObject({
  arch: z
    .string()
    .max(32)
    .regex(/^[A-Za-z0-9_.-]+$/, "must be a machine's architecture, such as amd64 or arm64"),
  driver: z
    .string()
    .max(32)
    .regex(/^(\d+(\.\d+)*)?$/, "must be an NVIDIA driver version such as 580.65.06, or empty")
    .default(""),
  cc: z
    .string()
    .regex(/^(\d{1,2}(\.\d)?)?$/, "must be a compute capability such as 8.6, or empty")
    .default(""),
  glibc: z
    .string()
    .regex(/^(\d{1,3}\.\d{1,3}(\.\d{1,3})?)?$/, "must be a glibc version such as 2.36, or empty")
    .default(""),
  variant: z.union([z.literal(""), Word]).default(""),
  key: z
    .string()
    .regex(/^([0-9a-f]{16})?$/, "must be a key's id, 16 hexadecimal digits, or empty")
    .default(""),
});

/**
 * Reads `/v1/install/{engine}/{version}?arch=&driver=&cc=&glibc=&variant=&key=`. Returns what is wrong, in words, where
 * something is; a parameter that is unknown or comes twice is wrong too.
 */
export function parseQuestion(engine: string, version: string, query: string): InstallQuestion | string {
  for (const [what, text] of Object.entries({ engine, version })) {
    const word = Word.safeParse(text);
    if (!word.success) return `${what}: ${word.error.issues[0]?.message ?? "is not valid"}`;
  }
  const given = new URLSearchParams(query);
  const twice = [...given.keys()].find((key, at, all) => all.indexOf(key) !== at);
  if (twice !== undefined) return `${printableKey(twice)}: stands there twice`;
  const parsed = Parameters.safeParse(Object.fromEntries(given));
  if (!parsed.success) return parsed.error.issues.map(describe).join("; ");
  const { arch, driver, cc, glibc, variant, key } = parsed.data;
  const host = { arch, nvidiaDriver: driver, minComputeCapability: cc === "" ? 0 : Number(cc), glibc };
  return { engine, version, variant, key, host };
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") {
    return `${issue.keys.map(printableKey).join(", ")}: unknown parameter; there are ${Object.keys(Parameters.shape).join(", ")}`;
  }
  const missing = issue.code === "invalid_type";
  return `${issue.path.join(".")}: ${missing ? "must be given once" : issue.message}`;
}

function printableKey(key: string): string {
  return key.slice(0, 32).replaceAll(/[^A-Za-z0-9_-]/g, "?");
}
