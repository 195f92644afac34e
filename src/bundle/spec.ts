import { z } from "zod";
import { FerryError } from "../errors.ts";
import { readText } from "../lib/files.ts";
import { parseYamlAs } from "../lib/yaml-file.ts";
import { Arch } from "./document-values.ts";

const Repo = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9._-]{1,100}$/, "must be OWNER/NAME");
/** A version as it stands in file names and tags: no slash, no space, no leading dot or dash. */
const Version = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/, "must be a version such as b11347 or 0.30.0, or latest");
const Tag = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._+/@-]*$/, "must be a tag")
  .refine(
    (tag) => !tag.split("/").some((part) => part === "" || part === "." || part === ".."),
    "must be a tag",
  );
const Hex = z.string().regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hexadecimal digits");
const unique = (items: readonly unknown[]): boolean => new Set(items).size === items.length;
const listOf = <T extends z.ZodType>(item: T): z.ZodArray<T> =>
  z.array(item).min(1, "must name at least one").refine(unique, "names one twice");

const EngineEntry = z.strictObject({
  engine: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, "must be an engine's id; see: ferry recipe list"),
  versions: listOf(Version).describe('Exact versions, or "latest", which is resolved when the plan is made.'),
  arch: listOf(Arch).default(["amd64", "arm64"]),
  variants: listOf(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/))
    .optional()
    .describe("Variants or families (cuda, cuda-13, cpu); default: every one that the recipe has."),
});

const AssetEntry = z.strictObject({
  repo: Repo,
  tag: Tag,
  include: listOf(z.string().min(1)).describe("Globs over asset names; each must match at least one."),
  exclude: listOf(z.string().min(1)).optional(),
  checksums: z
    .string()
    .min(1)
    .optional()
    .describe("Name of the release's checksum file, for assets without a digest."),
  sha256: z
    .record(z.string(), Hex)
    .optional()
    .describe("Digests by asset name, where upstream publishes none."),
  unverified: listOf(z.string().min(1))
    .optional()
    .describe(
      "Asset names that may be carried with a digest computed here, because upstream publishes none.",
    ),
});

const PythonEntry = z.strictObject({
  version: z
    .string()
    .regex(/^3\.\d{1,2}$/, 'must be a Python such as "3.12", in quotes')
    .optional()
    .describe('Python of the environments, quoted: "3.12"; default: what the recipe says.'),
  glibc: z
    .string()
    .regex(/^2\.(1[7-9]|[2-9]\d)$/, 'must be a glibc of 2.17 or newer such as "2.35", in quotes')
    .default("2.35")
    .describe("Newest glibc that the nodes have: no wheel that needs a newer one is taken."),
  uv: z
    .string()
    .regex(/^\d+\.\d+\.\d+$/, "must be a version of uv such as 0.12.23")
    .optional()
    .describe("The uv that resolves and is carried; default: what its recipe says."),
});

export const Spec = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "must be lower-case letters, digits, dots and dashes"),
    counter: z.int().positive().default(1).describe("Grows with every bundle of this name."),
    engines: z.array(EngineEntry).min(1, "must name at least one engine").optional(),
    assets: z.array(AssetEntry).min(1, "must name at least one").optional(),
    python: PythonEntry.optional(),
  })
  .refine(
    (spec) => spec.engines !== undefined || spec.assets !== undefined,
    "names neither engines nor assets",
  );

export type Spec = z.infer<typeof Spec>;
export type SpecEngine = NonNullable<Spec["engines"]>[number];
export type SpecAssets = NonNullable<Spec["assets"]>[number];

/** Reads and checks a spec. Throws FILE_UNREADABLE or SPEC_INVALID with every fault's file, line, column and key path. */
export async function readSpec(path: string): Promise<Spec> {
  return parseSpec(await readText(path), path);
}

export function parseSpec(text: string, file: string): Spec {
  if (text.trim() === "") {
    throw new FerryError("SPEC_INVALID", `${file} is empty`, {
      hint: "See the examples under bundles/ and docs/cli.md.",
    });
  }
  return parseYamlAs(Spec, text, file, "SPEC_INVALID");
}
