import { isFerryError } from "../errors.ts";
import type { Digest } from "../lib/digest.ts";
import { ANNOTATION_TITLE, type Descriptor, type Index, Manifest } from "../wire/oci.ts";
import { BundleDocument } from "./document.ts";
import { bundleEntries, callBundle, signatureEntry } from "./store-index.ts";
import type { Records } from "./store-record.ts";

/** A blob with everything that needs it. */
export interface NamedBlob {
  size: number;
  kind: "file" | "manifest" | "document" | "signature";
  paths: Set<string>;
  bundles: Set<string>;
}

export interface NamedBlobs {
  named: Map<Digest, NamedBlob>;
  /** Bundles whose manifest or document cannot be read: what else they need is not known. */
  unreadable: string[];
  /** Bundles of the index. */
  bundles: number;
}

/** Every blob that the bundles of an index need, as far as their records can be read. */
export async function namedBlobs(store: Records, index: Index): Promise<NamedBlobs> {
  const named = new Map<Digest, NamedBlob>();
  const unreadable: string[] = [];
  const entries = bundleEntries(index);
  for (const entry of entries) {
    const bundle = callBundle(entry);
    const note = (
      { digest, size }: Pick<Descriptor, "digest" | "size">,
      kind: NamedBlob["kind"],
      path?: string,
    ): void => {
      const blob = named.get(digest) ?? { size, kind, paths: new Set(), bundles: new Set() };
      if (path !== undefined) blob.paths.add(path);
      blob.bundles.add(bundle);
      named.set(digest, blob);
    };
    const whole = [
      await noteBundle(store, entry, note),
      await noteSignature(store, signatureEntry(index, entry.digest), note),
    ];
    if (whole.includes(false)) unreadable.push(bundle);
  }
  return { named, unreadable, bundles: entries.length };
}

type Note = (blob: Pick<Descriptor, "digest" | "size">, kind: NamedBlob["kind"], path?: string) => void;

/** False where a blob on the way cannot be read; those on the way are noted all the same. */
async function noteBundle(store: Records, entry: Descriptor, note: Note): Promise<boolean> {
  note(entry, "manifest");
  const manifest = Manifest.safeParse(await readJson(store, entry.digest));
  if (!manifest.success) return false;
  note(manifest.data.config, "document");
  for (const layer of manifest.data.layers) note(layer, "file", layer.annotations?.[ANNOTATION_TITLE]);
  const document = BundleDocument.safeParse(await readJson(store, manifest.data.config.digest));
  if (!document.success) return false;
  for (const file of document.data.files) note(file, "file", file.path);
  return true;
}

async function noteSignature(store: Records, entry: Descriptor | undefined, note: Note): Promise<boolean> {
  if (entry === undefined) return true;
  note(entry, "signature");
  const manifest = Manifest.safeParse(await readJson(store, entry.digest));
  if (!manifest.success) return false;
  for (const blob of [manifest.data.config, ...manifest.data.layers]) note(blob, "signature");
  return true;
}

/** undefined where the blob is absent or damaged: whoever asks has hashed it, and reports that. */
async function readJson(store: Records, digest: Digest): Promise<unknown> {
  try {
    return JSON.parse((await store.readSmall(digest)).toString("utf8"));
  } catch (error) {
    if (isFerryError(error, "STORE_DAMAGED") || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
