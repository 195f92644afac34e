import type { Command } from "commander";
import { SERVE_VARIABLES } from "../../config/serve-variables.ts";
import type { Context } from "../context.ts";
import type { ServeFlags } from "../flags.ts";

/** The mirror. Its flags come from the table of its variables, so that neither can lack what the other has. */
export function addServe(program: Command, context: Context): void {
  const command = program
    .command("serve")
    .description("serve what was imported at the paths that GitHub uses; prints one line when it listens")
    .option("--store <folder>", "local store (else FERRY_STORE)");
  for (const [key, { name, what }] of Object.entries(SERVE_VARIABLES)) {
    const flag = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const isSwitch = key === "noSendfile";
    command.option(
      isSwitch ? flag : `${flag} <value>`,
      isSwitch ? `never use Linux sendfile (${name}=1)` : `${what} (${name})`,
    );
  }
  command.action(async (options: ServeFlags) => {
    const { serveCommand } = await import("../commands/serve.ts");
    await serveCommand(context, options);
  });
}
