import { Command } from "commander";
import { VARIABLES } from "../config/variables.ts";
import type { Context } from "./context.ts";
import type {
  BuildFlags,
  BuildsFlags,
  CandidatesFlags,
  EvalFlags,
  ExportFolderFlags,
  InspectFlags,
  JsonFlag,
  KeysNewFlags,
  KeysShowFlags,
  PinFlags,
  PlanFlags,
  RecipeFlags,
  VerifyFlags,
} from "./flags.ts";
import { addServe } from "./groups/serve.ts";
import { addStore } from "./groups/store.ts";
import { collect, decimal, positive } from "./option-values.ts";

type SetExit = (code: number) => void;

/**
 * The command tree. Only words live here: each action loads its own module when it runs, so that `ferry --help` starts
 * in a fraction of a second.
 */
export function buildProgram(context: Context, setExit: SetExit): Command {
  const program = new Command("ferry")
    .description("Carries LLM inference engines across an air gap: one spec, one signed bundle.")
    .version(context.version, "-V, --version", "print the version")
    .option("--verbose", "say more on standard error")
    .helpOption("-h, --help", "print this help")
    .addHelpText("after", () => environmentHelp())
    .showHelpAfterError("(ferry COMMAND --help shows how it is used)");
  addPlan(program, context, setExit);
  addBuild(program, context);
  addReaders(program, context);
  addStore(program, context, setExit);
  addServe(program, context);
  addKeys(program, context);
  addRecipe(program, context);
  return program;
}

function environmentHelp(): string {
  const width = Math.max(...Object.keys(VARIABLES).map((name) => name.length));
  const lines = Object.entries(VARIABLES).map(([name, what]) => `  ${name.padEnd(width)}  ${what}`);
  return `\nEnvironment:\n${lines.join("\n")}\n\nExit codes: 0 done, 1 fault of ours, 2 usage or spec, 3 upstream incomplete, 4 network,\n5 verification failed, 6 disk full, 7 local store or file, 130 interrupted. See docs/errors.md.\n`;
}

function addPlan(program: Command, context: Context, setExit: SetExit): void {
  withUpstream(program.command("plan <spec>"))
    .description(
      "show what a spec comes to: files, sizes, digests, gaps, space; no file of the bundle is downloaded",
    )
    .option("--json", "one JSON document (bundles/schema/plan.schema.json)")
    .option("--write-lock <file>", "pin tags, asset ids, sizes and digests")
    .option("--allow-missing", "exit with 0 although builds are missing")
    .action(async (spec: string, options: PlanFlags) => {
      const { planCommand } = await import("./commands/plan.ts");
      setExit(await planCommand(context, spec, options));
    });
}

function addBuild(program: Command, context: Context): void {
  withUpstream(program.command("build <spec>"))
    .description("fetch and verify everything that a spec names, and write one bundle")
    .requiredOption("-o, --output <path>", "FILE.tar, or FOLDER/ for the layout as a folder")
    .option("--sign-key <file>", "private key (PEM); may be given several times", collect, [])
    .option(
      "--passphrase-file <file>",
      "first line is the key's passphrase (else FERRY_KEY_PASSPHRASE, else asked)",
    )
    .option("--locked <file>", "refuse whatever differs from this lock")
    .option(
      "--previous <bundle>",
      "refuse files that this earlier bundle carries with other bytes",
      collect,
      [],
    )
    .option("--accept-changed", "go on where an asset was replaced upstream under the same name")
    .option("--allow-missing", "leave out builds that upstream lacks, and record them in the bundle")
    .option(
      "--skip-closure",
      "do not resolve Python locks again from the bundle alone; the bundle records it",
    )
    .option("--jobs <n>", "files at once", positive, 4)
    .option("--connections <n>", "connections for one large file", positive, 8)
    .action(async (spec: string, options: BuildFlags) => {
      const { buildCommand } = await import("./commands/build.ts");
      await buildCommand(context, spec, options);
    });
}

function addReaders(program: Command, context: Context): void {
  program
    .command("verify <bundle>")
    .description(
      "check signature and every digest of a bundle (tar, folder, or - for standard input); no network",
    )
    .option("--key <file>", "trusted public key (PEM), required; may be given several times", collect, [])
    .option("--json", "one JSON document")
    .action(async (bundle: string, options: VerifyFlags) => {
      const { verifyCommand } = await import("./commands/verify.ts");
      await verifyCommand(context, bundle, options);
    });
  program
    .command("inspect <bundle>")
    .description("say what a bundle holds, by engine; reads its metadata only")
    .option(
      "--key <file>",
      "check the signature with this public key; may be given several times",
      collect,
      [],
    )
    .option("--json", "one JSON document")
    .action(async (bundle: string, options: InspectFlags) => {
      const { inspectCommand } = await import("./commands/inspect.ts");
      await inspectCommand(context, bundle, options);
    });
  program
    .command("diff <old> <new>")
    .description("say what a newer bundle adds, drops and changes")
    .option("--json", "one JSON document")
    .action(async (before: string, after: string, options: JsonFlag) => {
      const { diffCommand } = await import("./commands/diff.ts");
      await diffCommand(context, before, after, options);
    });
  program
    .command("sbom <bundle>")
    .description("CycloneDX JSON of everything carried, with origins and digests")
    .action(async (bundle: string) => {
      const { sbomCommand } = await import("./commands/sbom.ts");
      await sbomCommand(context, bundle);
    });
  program
    .command("export-folder <bundle> <engine> <version>")
    .description("write a Python engine's wheels, lock, uv and interpreter as a folder to install from")
    .requiredOption("--arch <arch>", "amd64 or arm64")
    .option("--variant <name>", "which build; needed where the bundle has several")
    .requiredOption("-o, --output <dir>", "folder to write; an earlier one is replaced")
    .option("--key <file>", "trusted public key (PEM); without one the signature is NOT checked", collect, [])
    .option("--allow-unsigned", "with --key: take a bundle that nobody signed all the same")
    .action(async (bundle: string, engine: string, version: string, options: ExportFolderFlags) => {
      const { exportFolderCommand } = await import("./commands/export-folder.ts");
      await exportFolderCommand(context, [bundle, engine, version], options);
    });
}

function addKeys(program: Command, context: Context): void {
  const keys = program.command("keys").description("signing keys");
  keys
    .command("new")
    .description("make a key pair: NAME.key (keep it secret) and NAME.pub (carry it to the mirror)")
    .requiredOption("--out <name>", "path of the two files without their ending")
    .option("--type <type>", "ed25519 or p256", "ed25519")
    .option("--passphrase-file <file>", "encrypt the private key; first line is the passphrase")
    .action(async (options: KeysNewFlags) => {
      const { keysNewCommand } = await import("./commands/keys.ts");
      await keysNewCommand(context, options);
    });
  keys
    .command("show <file>")
    .description("type and id of a key, and its public half")
    .option("--passphrase-file <file>", "first line is the passphrase")
    .option("--json", "one JSON document")
    .action(async (file: string, options: KeysShowFlags) => {
      const { keysShowCommand } = await import("./commands/keys.ts");
      await keysShowCommand(context, file, options);
    });
}

function addRecipe(program: Command, context: Context): void {
  const recipe = program
    .command("recipe")
    .description("the table of engines: what is published for which machine");
  const withRecipes = (command: Command): Command =>
    command
      .option("--recipes <folder>", "overlay folder (else FERRY_RECIPES)")
      .option("--json", "one JSON document");
  withRecipes(recipe.command("list"))
    .description("every engine that the table knows")
    .action(async (options: RecipeFlags) => {
      const { recipeListCommand } = await import("./commands/recipe.ts");
      await recipeListCommand(context, options);
    });
  withRecipes(recipe.command("show <engine>"))
    .description("one engine's recipe")
    .action(async (engine: string, options: RecipeFlags) => {
      const { recipeShowCommand } = await import("./commands/recipe.ts");
      await recipeShowCommand(context, engine, options);
    });
  withRecipes(recipe.command("check [folder]"))
    .description("check recipes (of a folder, else the ones in use) against their cases")
    .action(async (folder: string | undefined, options: RecipeFlags) => {
      const { recipeCheckCommand } = await import("./commands/recipe.ts");
      await recipeCheckCommand(context, folder, options);
    });
  withRecipes(recipe.command("candidates <engine> <version>"))
    .description("the builds that may run on a machine, best first")
    .requiredOption("--arch <arch>", "amd64 or arm64")
    .option("--driver <version>", "NVIDIA driver; none: no NVIDIA card", "")
    .option("--cc <number>", "lowest compute capability, such as 8.6; 0: unknown", decimal, 0)
    .option("--variant <variant>", "this build alone", "")
    .action(async (engine: string, version: string, options: CandidatesFlags) => {
      const { recipeCandidatesCommand } = await import("./commands/recipe.ts");
      await recipeCandidatesCommand(context, engine, version, options);
    });
  withRecipes(recipe.command("builds <engine> <version>"))
    .description("every build that a bundle must carry for machines not seen yet")
    .requiredOption("--arch <arch>", "amd64 or arm64")
    .action(async (engine: string, version: string, options: BuildsFlags) => {
      const { recipeBuildsCommand } = await import("./commands/recipe.ts");
      await recipeBuildsCommand(context, engine, version, options);
    });
  recipe
    .command("eval")
    .description('answer cases, one JSON a line: {"fn":…,"engine":…,"version":…}')
    .requiredOption("--cases <file>", "file of cases, or - for standard input")
    .option("--recipes <folder>", "overlay folder (else FERRY_RECIPES)")
    .action(async (options: EvalFlags) => {
      const { recipeEvalCommand } = await import("./commands/recipe-eval.ts");
      await recipeEvalCommand(context, options);
    });
  withUpstream(recipe.command("pin <engine> <version>"))
    .description("fetch an engine's source archive, show its digest, and pin it in your overlay")
    .option("--json", "one JSON document")
    .action(async (engine: string, version: string, options: PinFlags) => {
      const { recipePinCommand } = await import("./commands/recipe-pin.ts");
      await recipePinCommand(context, engine, version, options);
    });
}

function withUpstream(command: Command): Command {
  return command
    .option("--store <folder>", "local store (else FERRY_STORE)")
    .option("--recipes <folder>", "overlay folder (else FERRY_RECIPES)")
    .option("--offline", "never open a connection");
}
