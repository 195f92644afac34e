import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { loadConfig } from "../../config/load.ts";
import { readText } from "../../lib/files.ts";
import { evalCase, parseCases } from "../../recipe/eval.ts";
import type { Context } from "../context.ts";
import type { EvalFlags } from "../flags.ts";
import { openTable } from "../workbench.ts";

/** Answers one JSON case a line with one JSON answer a line, in the same order. All lines are read before the first is answered. */
export async function recipeEvalCommand(context: Context, flags: EvalFlags): Promise<void> {
  const table = await openTable(context, loadConfig(context.env, flags));
  const cases =
    flags.cases === "-"
      ? parseCases(await text(context.stdin), "standard input")
      : parseCases(await readText(resolve(context.cwd, flags.cases)), flags.cases);
  for (const one of cases) await context.write(`${JSON.stringify(evalCase(table, one))}\n`);
}
