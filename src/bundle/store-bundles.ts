import { z } from "zod";
import { FerryError } from "../errors.ts";
import { sumSizes } from "../lib/size.ts";
import { importMarks } from "../store/import-mark.ts";
import type { LayoutStore } from "../store/layout-store.ts";
import type { Descriptor } from "../wire/oci.ts";
import {
  ANNOTATION_IMPORTED_AT,
  ANNOTATION_SIGNED_BY,
  byImport,
  SIGNED_BY_NOBODY,
} from "../wire/store-annotations.ts";
import { type CarriedBlob, carriedBlobs } from "./carried-blobs.ts";
import { Sha256 } from "./document-values.ts";
import { bundleEntries, callBundle, dropBundles, nameAndCounter } from "./store-index.ts";
import { rankOf, readStoredBundles, type StoredBundle } from "./store-record.ts";

const ListedBundle = z.strictObject({
  name: z.string(),
  counter: z.int(),
  created: z.string(),
  manifest: Sha256,
  /** null where it was built into this store and never imported. */
  importedAt: z.string().nullable(),
  /** Ids of the trusted keys that signed; empty where it was imported as unsigned; null where nobody checked. */
  signedBy: z.array(z.string()).nullable(),
  /** Paths that earlier bundles carry with other bytes stay theirs (`--prefer old`). */
  yields: z.boolean(),
  builds: z.int(),
  files: z.int(),
  contents: z.int(),
  bytes: z.int(),
  /** Contents that are not in the store, or not in their size. */
  absent: z.int(),
});

/** `ferry bundles --json`: in the order of import. Sizes are bytes. */
export const BundlesReport = z.strictObject({
  store: z.string(),
  bundles: z.array(ListedBundle),
  /** Bundles of the index whose record is damaged, and why. */
  unreadable: z.array(z.strictObject({ bundle: z.string(), manifest: Sha256, reason: z.string() })),
  /** Imports that are running, or were stopped and will go on where they were. */
  unfinished: z.array(z.string()),
});
export type BundlesReport = z.infer<typeof BundlesReport>;

/** What a store holds, by bundle. No content is hashed: `scrub` does that. */
export async function listBundles(store: LayoutStore): Promise<BundlesReport> {
  const { bundles, unreadable } = await readStoredBundles(store, await store.readIndex());
  bundles.sort((a, b) => byImport(rankOf(a.entry), rankOf(b.entry)));
  const described: BundlesReport["bundles"] = [];
  for (const bundle of bundles) described.push(await describe(store, bundle));
  return {
    store: store.root,
    bundles: described,
    unreadable: unreadable.map(({ entry, error }) => ({
      bundle: callBundle(entry),
      manifest: entry.digest,
      reason: error.message,
    })),
    unfinished: [...new Set((await importMarks(store)).map(({ what }) => what))],
  };
}

async function describe(
  store: LayoutStore,
  { entry, document }: StoredBundle,
): Promise<z.infer<typeof ListedBundle>> {
  const blobs = carriedBlobs(document.files);
  const signedBy = entry.annotations?.[ANNOTATION_SIGNED_BY];
  return {
    name: document.name,
    counter: document.counter,
    created: document.created,
    manifest: entry.digest,
    importedAt: entry.annotations?.[ANNOTATION_IMPORTED_AT] ?? null,
    signedBy: signedBy === undefined ? null : signedBy === SIGNED_BY_NOBODY ? [] : signedBy.split(","),
    yields: rankOf(entry).yields,
    builds: document.builds.length,
    files: document.files.length,
    contents: blobs.length,
    bytes: sumSizes(blobs),
    absent: (await presentBlobs(store, blobs)).absent.length,
  };
}

/** Contents by whether a file of their size is there; nothing is hashed. */
export async function presentBlobs(
  store: LayoutStore,
  blobs: readonly CarriedBlob[],
): Promise<{ present: CarriedBlob[]; absent: CarriedBlob[] }> {
  const present: CarriedBlob[] = [];
  const absent: CarriedBlob[] = [];
  for (const blob of blobs) {
    ((await store.stat(blob.digest)) === blob.size ? present : absent).push(blob);
  }
  return { present, absent };
}

/** `ferry remove --json`. */
export const RemoveReport = z.strictObject({
  store: z.string(),
  removed: z.array(z.strictObject({ name: z.string(), counter: z.int(), manifest: Sha256 })).min(1),
  /** Bundles that the store still has. */
  left: z.int(),
});
export type RemoveReport = z.infer<typeof RemoveReport>;

/**
 * Takes bundles out of the index: `site-a` all of that name, `site-a@3` that one. A mirror no longer serves them then;
 * their contents stay until garbage is collected. Works for a bundle whose record is damaged.
 * Throws USAGE where there is no such bundle, naming those that are there.
 */
export async function removeBundles(store: LayoutStore, wanted: string): Promise<RemoveReport> {
  const matches = matcher(wanted);
  let removed: Descriptor[] = [];
  const index = await store.updateIndex((before) => {
    const entries = bundleEntries(before);
    removed = entries.filter(matches);
    if (removed.length === 0) throw noSuchBundle(wanted, entries, store.root);
    return dropBundles(
      before,
      removed.map(({ digest }) => digest),
    );
  });
  return {
    store: store.root,
    removed: removed.map((entry) => ({ ...nameAndCounter(entry), manifest: entry.digest })),
    left: bundleEntries(index).length,
  };
}

function matcher(wanted: string): (entry: Descriptor) => boolean {
  const [name, counter, ...more] = wanted.split("@");
  return (entry) => {
    const found = nameAndCounter(entry);
    return (
      more.length === 0 && found.name === name && (counter === undefined || String(found.counter) === counter)
    );
  };
}

function noSuchBundle(wanted: string, entries: readonly Descriptor[], root: string): FerryError {
  const there = entries.map(nameAndCounter).map(({ name, counter }) => `${name}@${counter}`);
  return new FerryError("USAGE", `the store at ${root} has no bundle ${wanted}`, {
    hint: there.length === 0 ? "It has none at all." : `It has: ${there.join(", ")}`,
    details: { bundles: there },
  });
}
