import { type Command, Option } from "commander";
import type { Context } from "../context.ts";
import type { GcFlags, ImportFlags, StoreFlags } from "../flags.ts";
import { collect, wholeNumber } from "../option-values.ts";

/** Commands on a mirror's store. */
export function addStore(program: Command, context: Context, setExit: (code: number) => void): void {
  addImport(program, context);
  withStoreFlags(program.command("bundles"))
    .description("what the store holds, by bundle: who signed it, when it was imported, how large it is")
    .action(async (options: StoreFlags) => {
      const { bundlesCommand } = await import("../commands/bundles.ts");
      await bundlesCommand(context, options);
    });
  withStoreFlags(program.command("remove <bundle>"))
    .description("stop serving a bundle: NAME, or NAME@COUNTER; its contents stay until gc")
    .action(async (bundle: string, options: StoreFlags) => {
      const { removeCommand } = await import("../commands/remove.ts");
      await removeCommand(context, bundle, options);
    });
  withStoreFlags(program.command("gc"))
    .description("delete what no bundle names, no import needs, and nobody wrote lately")
    .option("--dry-run", "say what would go, and delete nothing")
    .option("--grace <hours>", "nothing younger goes: a build may be about to name it", wholeNumber, 24)
    .action(async (options: GcFlags) => {
      const { gcCommand } = await import("../commands/gc.ts");
      await gcCommand(context, options);
    });
  withStoreFlags(program.command("scrub"))
    .description("hash everything in the store again, and name what is damaged or absent")
    .action(async (options: StoreFlags) => {
      const { scrubCommand } = await import("../commands/scrub.ts");
      setExit(await scrubCommand(context, options));
    });
  withStoreFlags(program.command("inventory"))
    .description("the digests that the store holds, one a line, to be carried back to the builder")
    .action(async (options: StoreFlags) => {
      const { inventoryCommand } = await import("../commands/inventory.ts");
      await inventoryCommand(context, options);
    });
}

function addImport(program: Command, context: Context): void {
  withStoreFlags(program.command("import <bundles...>"))
    .description("bring bundles (tar, folder, or - for standard input) into a store; each is verified first")
    .option(
      "--key <path>",
      "trusted public key (PEM), or a folder of them; may be given several times",
      collect,
      [],
    )
    .option("--allow-unsigned", "take a bundle that nobody signed; it is recorded as unsigned")
    .addOption(
      new Option(
        "--prefer <which>",
        "serve the new or the old bytes where two bundles have one path",
      ).choices(["new", "old"]),
    )
    .option("--allow-older", "take a bundle whose counter is lower than that of one of its name")
    .action(async (bundles: string[], options: ImportFlags) => {
      const { importCommand } = await import("../commands/import.ts");
      await importCommand(context, bundles, options);
    });
}

function withStoreFlags(command: Command): Command {
  return command
    .option("--store <folder>", "local store (else FERRY_STORE)")
    .option("--json", "one JSON document");
}
