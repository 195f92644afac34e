import { resolve } from "node:path";
import { z } from "zod";
import { FerryError } from "../../errors.ts";
import { readText } from "../../lib/files.ts";
import { generateKeyPair, writeKeyPair } from "../../trust/keys.ts";
import { loadVerifier } from "../../trust/verifier.ts";
import type { Context } from "../context.ts";
import type { KeysNewFlags, KeysShowFlags } from "../flags.ts";
import { loadSigners } from "../load-signers.ts";
import { askNewPassphrase, givenPassphrase } from "../passphrase.ts";

/** `ferry keys show --json`. */
export const KeyReport = z.strictObject({
  kind: z.enum(["private", "public"]),
  algorithm: z.string(),
  keyId: z.string(),
  /** SHA-256 of the public key (SPKI, DER), 64 hex digits. */
  fingerprint: z.string(),
});
export type KeyReport = z.infer<typeof KeyReport>;

export async function keysNewCommand(context: Context, flags: KeysNewFlags): Promise<void> {
  const { type } = flags;
  if (type !== "ed25519" && type !== "p256") {
    throw new FerryError("USAGE", `--type must be ed25519 or p256, not ${type}`);
  }
  const passphrase =
    (await givenPassphrase(context, flags.passphraseFile)) ?? (await askNewPassphrase(context));
  const pair = generateKeyPair({ algorithm: type, ...(passphrase === undefined ? {} : { passphrase }) });
  const { keyPath, pubPath } = await writeKeyPair(resolve(context.cwd, flags.out), pair);
  const secrecy =
    passphrase === undefined
      ? "NOT encrypted: keep it where nobody else reads"
      : "encrypted with your passphrase";
  await context.write(
    `key ${pair.keyId}\n  private: ${keyPath} (${secrecy})\n  public:  ${pubPath} (carry it to the mirror over a way that you trust)\n`,
  );
}

export async function keysShowCommand(context: Context, file: string, flags: KeysShowFlags): Promise<void> {
  const report = await describeKeyFile(context, file, flags.passphraseFile);
  const text = `${report.kind} key, ${report.algorithm}\n  id:          ${report.keyId}\n  fingerprint: ${report.fingerprint}\n`;
  await context.write(flags.json === true ? `${JSON.stringify(report)}\n` : text);
}

async function describeKeyFile(
  context: Context,
  file: string,
  passphraseFile: string | undefined,
): Promise<KeyReport> {
  const text = await readText(resolve(context.cwd, file));
  if (!/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(text)) {
    const { algorithm, keyId, fingerprint } = loadVerifier(text, file);
    return { kind: "public", algorithm, keyId, fingerprint };
  }
  const [signer] = await loadSigners(context, [file], passphraseFile);
  if (signer === undefined) throw new FerryError("KEY_INVALID", `${file} holds no key`);
  return {
    kind: "private",
    algorithm: signer.algorithm,
    keyId: signer.keyId,
    fingerprint: signer.fingerprint,
  };
}
