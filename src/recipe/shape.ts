import { z } from "zod";
import { choiceOf } from "./choice.ts";
import { BuildFields, BuildRule } from "./fields.ts";
import { NOTE_PLACEHOLDERS, templateOf } from "./template.ts";
import { Ordering } from "./version.ts";
import { BuildWhen, RecipeArch } from "./when.ts";

const Word = z.string().min(1, "must not be empty");
const Repo = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9._-]{1,100}$/, "must be OWNER/NAME");

/** A regular expression for whole strings; anchors are demanded, so that nobody forgets them. */
const Pattern = z.string().superRefine((source, context) => {
  if (!/^\^.*\$$/s.test(source)) context.addIssue("must begin with ^ and end with $");
  try {
    new RegExp(source, "u");
  } catch (error) {
    context.addIssue(error instanceof Error ? error.message : String(error));
  }
});

/** The digest of a source archive and the time that Python resolution is frozen at. `ferry recipe pin` writes them. */
export const Pin = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hexadecimal digits"),
  published: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, "must be a time such as 2026-10-08T21:58:07Z"),
});
export type Pin = z.infer<typeof Pin>;

const Versions = z.strictObject({
  pattern: Pattern.describe("What a version looks like; anything else is refused."),
  ordering: Ordering,
  example: Word.describe("A real version, for error messages."),
  tag: templateOf(["version", "number"]).default("{version}").describe("The GitHub tag of a version."),
  default: Word.optional().describe("The version of a tool that is taken where a spec names none."),
  latest: z
    .strictObject({
      tags: Pattern,
      prereleases: z
        .boolean()
        .default(false)
        .describe("Releases that GitHub marks as prereleases count too."),
    })
    .optional()
    .describe('Which tags count for "latest"; the newest by ordering whose release is complete is taken.'),
  notBuilds: z
    .array(z.strictObject({ tags: Pattern, what: Word }))
    .optional()
    .describe("Published tags that are no build, and what they are instead."),
});

/** The keys of a recipe. `Recipe` in schema.ts is this and no clashing rules. */
export const RecipeShape = z.strictObject({
  label: Word.describe("The engine's name for people."),
  tool: z
    .literal(true)
    .optional()
    .describe("Needed by other engines, no engine itself: a variant asked of it counts for nothing."),
  github: Repo.optional().describe("The repository whose releases hold it."),
  formerly: z
    .array(Repo)
    .min(1)
    .optional()
    .describe("Earlier names of the repository that clients still ask for."),
  pypi: Word.optional().describe("The project on the Python index."),
  versions: Versions,
  arch: z
    .partialRecord(RecipeArch, Word)
    .refine((arch) => Object.keys(arch).length > 0, "must name at least one architecture")
    .describe("The architecture's word in file names. An absent one has no build."),
  requires: z
    .literal("nvidia")
    .optional()
    .describe('A machine without an NVIDIA driver is "not here", which is no fault.'),
  minCompute: choiceOf(z.number().min(1), BuildWhen)
    .optional()
    .describe("Lowest compute capability that any build has code for."),
  fallback: z
    .strictObject({ version: Word, note: templateOf(NOTE_PLACEHOLDERS) })
    .optional()
    .describe(
      "The version taken in place of the one asked for, on cards below minCompute that it still has code for.",
    ),
  aliases: z
    .record(Word, Word)
    .optional()
    .describe("Another word for a build, where no build of that name exists."),
  checksums: templateOf(["asset"])
    .optional()
    .describe("Checksum file in the same release: one name for all, or {asset} in it for a sidecar each."),
  notCarried: z
    .array(Word)
    .min(1)
    .optional()
    .describe("What the engine fetches at its first run and no bundle carries, in words, one thing an item."),
  releases: z.record(Word, Pin).optional().describe("Pinned source archives by version."),
  defaults: BuildFields.optional().describe("Keys that every build has unless it says otherwise."),
  builds: z.array(BuildRule).min(1, "must hold at least one build").describe("Best first."),
});
export type RecipeShape = z.infer<typeof RecipeShape>;
