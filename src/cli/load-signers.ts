import { resolve } from "node:path";
import { isFerryError } from "../errors.ts";
import { readText } from "../lib/files.ts";
import { loadSigner, type Signer } from "../trust/signer.ts";
import type { Context } from "./context.ts";
import { askPassphrase, givenPassphrase } from "./passphrase.ts";

/** Signers of private key files; a passphrase is taken from file, environment or terminal only where a key needs one. */
export async function loadSigners(
  context: Context,
  files: readonly string[],
  passphraseFile: string | undefined,
): Promise<Signer[]> {
  const signers: Signer[] = [];
  for (const file of files) signers.push(await loadOne(context, file, passphraseFile));
  return signers;
}

async function loadOne(context: Context, file: string, passphraseFile: string | undefined): Promise<Signer> {
  const text = await readText(resolve(context.cwd, file));
  const given = await givenPassphrase(context, passphraseFile);
  try {
    return loadSigner(text, file, given);
  } catch (error) {
    if (given !== undefined || !isFerryError(error, "KEY_PASSPHRASE")) throw error;
    const asked = await askPassphrase(context, file);
    if (asked === undefined) throw error;
    return loadSigner(text, file, asked);
  }
}
