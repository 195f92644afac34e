import { join, resolve } from "node:path";
import { loadConfig } from "../config/load.ts";
import { FerryError } from "../errors.ts";
import { fileSize } from "../lib/files.ts";
import { createHashPool } from "../lib/hash-pool.ts";
import { type LayoutStore, openLayoutStore } from "../store/layout-store.ts";
import { LAYOUT_FILE } from "../wire/oci.ts";
import type { Context } from "./context.ts";
import type { StoreFlags } from "./flags.ts";

/**
 * Opens the store that flags and environment name, and ends its threads after `work`. Only an import makes a new one:
 * elsewhere a misspelled path must not pass for an empty store. Throws FILE_UNREADABLE where there is none.
 */
export async function withStore<T>(
  context: Context,
  flags: StoreFlags,
  which: "new or existing" | "existing",
  work: (store: LayoutStore) => Promise<T>,
): Promise<T> {
  const root = resolve(context.cwd, loadConfig(context.env, flags).storeRoot);
  if (which === "existing" && (await fileSize(join(root, LAYOUT_FILE))) === undefined) {
    throw new FerryError("FILE_UNREADABLE", `there is no store at ${root}`, {
      hint: "Name the mirror's store with --store or FERRY_STORE; ferry import makes a new one.",
    });
  }
  const pool = createHashPool();
  try {
    return await work(await openLayoutStore(root, { clock: context.clock, pool }));
  } finally {
    await pool.close();
  }
}

/** The answer as `--json` wants it, or in words. */
export function answer(context: Context, flags: StoreFlags, report: object, words: string): Promise<void> {
  return context.write(flags.json === true ? `${JSON.stringify(report)}\n` : words);
}
