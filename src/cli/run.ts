import { CommanderError } from "commander";
import { EXIT, fromSystemError, isFerryError } from "../errors.ts";
import type { Context } from "./context.ts";
import { buildProgram } from "./program.ts";
import { renderError } from "./render/error.ts";

/**
 * Runs one command line (without the program's name) and returns the exit code. Answers go to `context.write`, everything
 * else to the logger's stream; nothing is thrown.
 */
export async function run(argv: readonly string[], context: Context): Promise<number> {
  let output = "";
  let exitCode: number = EXIT.ok;
  const program = buildProgram(context, (code) => {
    exitCode = code;
  });
  const capture = {
    writeOut: (text: string) => void (output += text),
    writeErr: (text: string) => {
      context.logger.plain(text);
    },
  };
  for (const command of [
    program,
    ...program.commands,
    ...program.commands.flatMap((child) => child.commands),
  ]) {
    command.exitOverride().configureOutput(capture);
  }
  try {
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (output !== "") await context.write(output);
      return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    }
    const said = fromSystemError(error) ?? error;
    context.logger.plain(renderError(said));
    return isFerryError(said) ? said.exitCode : EXIT.internal;
  }
}
