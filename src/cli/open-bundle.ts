import { resolve } from "node:path";
import type { BundleSource } from "../archive/bundle-source.ts";
import { openBundleSource } from "../archive/open-source.ts";
import type { BundleDocument } from "../bundle/document.ts";
import { type OpenedBundle, openBundle } from "../bundle/open.ts";
import { createHashPool } from "../lib/hash-pool.ts";
import type { Context } from "./context.ts";

/** Opens the bundle that an argument names (tar, folder, or `-` for standard input), and closes it after `work`. */
export async function withBundle<T>(
  context: Context,
  name: string,
  work: (source: BundleSource) => Promise<T>,
): Promise<T> {
  const pool = createHashPool();
  try {
    const source = await openBundleSource(name === "-" ? context.stdin : resolve(context.cwd, name), pool);
    try {
      return await work(source);
    } finally {
      await source.close();
    }
  } finally {
    await pool.close();
  }
}

/** A bundle's metadata without a check of its signature: for looking, never for installing. */
export function readBundleMetadata(context: Context, name: string): Promise<OpenedBundle> {
  return withBundle(context, name, (source) => openBundle(source, "unsigned-ok"));
}

export async function readBundleDocument(context: Context, name: string): Promise<BundleDocument> {
  return (await readBundleMetadata(context, name)).document;
}
