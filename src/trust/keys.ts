import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { FerryError, fromFileError } from "../errors.ts";
import { type KeyAlgorithm, type KeyRef, keyRefOf } from "./key-id.ts";

/** A new key pair as two PEM files: PKCS#8 (encrypted where a passphrase was given) and SubjectPublicKeyInfo. */
export interface KeyPair extends KeyRef {
  privatePem: string;
  publicPem: string;
}

export interface GenerateOptions {
  /** Default `ed25519`. */
  algorithm?: KeyAlgorithm;
  /** Encrypts the private key (PBES2, AES-256-CBC; `openssl pkey` reads it). Throws KEY_PASSPHRASE where it is empty. */
  passphrase?: string;
}

export function generateKeyPair(options: GenerateOptions = {}): KeyPair {
  const { algorithm = "ed25519", passphrase } = options;
  if (passphrase === "") {
    throw new FerryError("KEY_PASSPHRASE", "the passphrase for the new key is empty", {
      hint: "Give one of at least a few words, or ask for a key without a passphrase.",
    });
  }
  const pair = newPair(algorithm);
  const encryption = passphrase === undefined ? {} : { cipher: "aes-256-cbc", passphrase };
  return {
    ...keyRefOf(pair.publicKey),
    privatePem: pair.privateKey.export({ type: "pkcs8", format: "pem", ...encryption }).toString(),
    publicPem: pair.publicKey.export({ type: "spki", format: "pem" }).toString(),
  };
}

function newPair(algorithm: KeyAlgorithm): { publicKey: KeyObject; privateKey: KeyObject } {
  return algorithm === "ed25519"
    ? generateKeyPairSync("ed25519")
    : generateKeyPairSync("ec", { namedCurve: "prime256v1" });
}

/**
 * Writes `PREFIX.key` (readable by its owner alone) and `PREFIX.pub`, flushed. Never replaces a file: a key that is
 * overwritten is lost, and with it the trust of every mirror that holds its public half. Throws FILE_UNWRITABLE or
 * DISK_FULL and leaves nothing behind then.
 */
export async function writeKeyPair(
  prefix: string,
  pair: KeyPair,
): Promise<{ keyPath: string; pubPath: string }> {
  const keyPath = `${prefix}.key`;
  const pubPath = `${prefix}.pub`;
  await writeNew(pubPath, pair.publicPem, 0o644);
  try {
    await writeNew(keyPath, pair.privatePem, 0o600);
  } catch (error) {
    await rm(pubPath, { force: true });
    throw error;
  }
  return { keyPath, pubPath };
}

async function writeNew(path: string, content: string, mode: number): Promise<void> {
  let created = false;
  try {
    const handle = await open(path, "wx", mode);
    created = true;
    try {
      await handle.chmod(mode);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (created) await rm(path, { force: true });
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      throw new FerryError("FILE_UNWRITABLE", `${path} exists already, and a key is never overwritten`, {
        cause: error,
        hint: "Choose another name with --out, or move the old pair away first.",
      });
    }
    throw fromFileError(error, "write", path, "FILE_UNWRITABLE");
  }
}
