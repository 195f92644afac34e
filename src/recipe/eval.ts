import { z } from "zod";
import { FerryError, isFerryError } from "../errors.ts";
import type { Build } from "./build.ts";
import { candidates } from "./candidates.ts";
import { builds } from "./query.ts";
import type { RecipeTable } from "./table.ts";

/** Answers that a line of shared cases brings along; what they are is for the reader of the answers to compare. */
const answers = { builds: z.json().optional(), error: z.json().optional(), notHere: z.json().optional() };

/** One question to the table, in the reference's shape: a line of `ferry recipe eval --cases FILE`. */
export const EvalCase = z.discriminatedUnion("fn", [
  z.strictObject({
    fn: z.literal("candidates"),
    engine: z.string(),
    version: z.string(),
    /** Empty or absent: any. */
    variant: z.string().default(""),
    host: z.strictObject({
      arch: z.string(),
      nvidiaDriver: z.string().default(""),
      minComputeCapability: z.number().min(0).default(0),
    }),
    ...answers,
  }),
  z.strictObject({
    fn: z.literal("builds"),
    engine: z.string(),
    version: z.string(),
    arch: z.string(),
    ...answers,
  }),
]);
export type EvalCase = z.infer<typeof EvalCase>;

export type EvalAnswer = { builds: Build[] } | { error: string; notHere?: true };

/** The table's answer to one question; a refusal is an answer too. */
export function evalCase(table: RecipeTable, question: EvalCase): EvalAnswer {
  try {
    return {
      builds:
        question.fn === "builds"
          ? builds(table, question)
          : candidates(table, question).map((offer) => offer.build),
    };
  } catch (error) {
    if (!isFerryError(error)) throw error;
    return {
      error: error.message,
      ...(error.details?.["notHere"] === true ? { notHere: true as const } : {}),
    };
  }
}

/** The questions of a text with one JSON case a line. Throws USAGE naming the line; empty lines are passed over. */
export function parseCases(text: string, file: string): EvalCase[] {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const fault = (why: string): FerryError =>
      new FerryError("USAGE", `${file}:${index + 1}: ${why}`, {
        hint: 'One JSON object a line: {"fn":"builds","engine":…,"version":…,"arch":…} or {"fn":"candidates","engine":…,"version":…,"variant":…,"host":{…}}.',
      });
    let json: unknown;
    try {
      json = JSON.parse(line);
    } catch (error) {
      throw fault(`is no JSON: ${error instanceof Error ? error.message : String(error)}`);
    }
    const parsed = EvalCase.safeParse(json);
    if (!parsed.success) {
      throw fault(parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; "));
    }
    return [parsed.data];
  });
}
