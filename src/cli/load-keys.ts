import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { FerryError, fromFileError } from "../errors.ts";
import { readText } from "../lib/files.ts";
import { loadVerifier, type Verifier } from "../trust/verifier.ts";
import type { Context } from "./context.ts";

/**
 * Verifiers of public key files, and of every `*.pub` and `*.pem` in folders. Throws KEY_INVALID for a file that is no
 * public key, and for a folder without any: an empty set of keys must not look like one.
 */
export async function loadVerifiers(context: Context, paths: readonly string[]): Promise<Verifier[]> {
  const verifiers: Verifier[] = [];
  for (const path of paths) {
    for (const file of await keyFiles(context, path)) {
      verifiers.push(loadVerifier(await readText(resolve(context.cwd, file)), file));
    }
  }
  return verifiers;
}

async function keyFiles(context: Context, path: string): Promise<string[]> {
  const full = resolve(context.cwd, path);
  try {
    if (!(await stat(full)).isDirectory()) return [path];
    const names = (await readdir(full)).filter((name) => /\.(pub|pem)$/.test(name)).sort();
    if (names.length > 0) return names.map((name) => join(path, name));
  } catch (error) {
    throw fromFileError(error, "read", path, "FILE_UNREADABLE");
  }
  throw new FerryError("KEY_INVALID", `the folder ${path} holds no public key (*.pub or *.pem)`, {
    hint: "Put the builder's .pub file there; without a key nothing can be verified.",
  });
}
