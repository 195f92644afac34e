import { z } from "zod";
import { ERROR_CODES, type ErrorCode } from "../errors.ts";

const codes = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]];
const Word = z.string().min(1);

/** A question to the table as a person writes it. Without `driver` the machine has no NVIDIA card. */
const Ask = z.strictObject({
  version: z.string(),
  arch: z.string(),
  driver: Word.optional(),
  cc: z.number().min(0).optional(),
  variant: Word.optional(),
  /** Names of the release's assets, where the answer depends on them. */
  assets: z.array(Word).optional(),
});

const Expectation = {
  /** Variants in this order, and no others. */
  gives: z.array(Word).min(1).optional(),
  /** Members that builds must have, by variant. */
  with: z.record(Word, z.record(Word, z.json())).optional(),
  /** Problem codes by variant, for builds that the release cannot satisfy. */
  problems: z.record(Word, z.enum(codes)).optional(),
  /** The error's code in place of an answer. */
  refuses: z.enum(codes).optional(),
  /** Text that the refusal must hold. */
  saying: Word.optional(),
  /** The refusal is no fault: the engine is not for this machine. */
  notHere: z.literal(true).optional(),
};

/** One worked case beside a recipe: a question and what the table must answer. */
export const RecipeCase = z
  .strictObject({ name: Word.optional(), candidates: Ask.optional(), builds: Ask.optional(), ...Expectation })
  .refine(
    ({ candidates, builds }) => (candidates === undefined) !== (builds === undefined),
    "asks for candidates or for builds, one of them",
  )
  .refine(
    ({ gives, refuses }) => (gives === undefined) !== (refuses === undefined),
    "expects gives or refuses, one of them",
  )
  .refine(
    ({ gives, with: members, problems }) =>
      gives !== undefined || (members === undefined && problems === undefined),
    "with and problems belong to gives",
  )
  .refine(
    ({ refuses, saying, notHere }) =>
      refuses !== undefined || (saying === undefined && notHere === undefined),
    "saying and notHere belong to refuses",
  )
  .refine(
    ({ builds }) => builds === undefined || (builds.driver ?? builds.cc ?? builds.variant) === undefined,
    "builds asks for no driver, cc or variant",
  );
export type RecipeCase = z.infer<typeof RecipeCase>;

/** `<engine>.cases.yaml`. A recipe without cases is not accepted, and neither is a file without any. */
export const CaseFile = z.strictObject({ cases: z.array(RecipeCase).min(1, "must hold at least one case") });
