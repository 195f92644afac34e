import { resolve } from "node:path";
import { loadConfig } from "../config/load.ts";
import { FerryError } from "../errors.ts";
import { readText } from "../lib/files.ts";
import type { Context } from "./context.ts";

/**
 * The passphrase that was given without asking: the first line of a file, else FERRY_KEY_PASSPHRASE, else undefined.
 * Throws KEY_PASSPHRASE where the file's first line is empty.
 */
export async function givenPassphrase(
  context: Context,
  file: string | undefined,
): Promise<string | undefined> {
  if (file === undefined) return loadConfig(context.env).keyPassphrase;
  const [first = ""] = (await readText(resolve(context.cwd, file))).split(/\r?\n/);
  if (first !== "") return first;
  throw new FerryError(
    "KEY_PASSPHRASE",
    `the first line of ${file} is empty, expected the key's passphrase`,
    {
      hint: "Write it there, or ask for a key without one by leaving --passphrase-file out.",
    },
  );
}

/** Asks for the passphrase of an existing key, where there is a terminal to ask on. */
export async function askPassphrase(context: Context, label: string): Promise<string | undefined> {
  return context.interactive ? context.askSecret(`Passphrase of ${label}: `) : undefined;
}

/** Asks twice for the passphrase of a new key; an empty one means a key without. undefined where nobody can be asked. */
export async function askNewPassphrase(context: Context): Promise<string | undefined> {
  if (!context.interactive) return undefined;
  const first = await context.askSecret("Passphrase for the new key (empty for none): ");
  if (first === "") return undefined;
  if ((await context.askSecret("Again: ")) === first) return first;
  throw new FerryError("KEY_PASSPHRASE", "the two passphrases differ", {
    hint: "Run the command again; nothing was written.",
  });
}
