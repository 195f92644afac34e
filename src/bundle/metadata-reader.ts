import type { BundleEntry, BundleSource } from "../archive/bundle-source.ts";
import { type FerryError, isFerryError } from "../errors.ts";
import { type Digest, digestOf } from "../lib/digest.ts";
import { blobName, INDEX_FILE, LAYOUT_FILE } from "../wire/oci.ts";
import { damagedMetadata, endsInMetadata, malformed } from "./bundle-faults.ts";

/** Hands out a bundle's small leading files by name, and afterwards what was not asked for. */
export interface MetadataReader {
  /** `oci-layout` or `index.json`. */
  file(name: string): Promise<Buffer>;
  /** A blob, hashed: DIGEST_MISMATCH where its bytes are not what its name says. `what` names it in errors. */
  blob(digest: Digest, what: string): Promise<Buffer>;
  /** To be called once, when all metadata has been asked for. */
  rest(): RemainingEntries;
}

export type RemainingEntries =
  /** `cut` is the error with which the source ended early. */
  | { seekable: true; entries: Map<string, BundleEntry>; cut: FerryError | undefined }
  | { seekable: false; entries: AsyncIterable<BundleEntry> };

/** Manifest, document, signature manifest, its config, its payload. */
const METADATA_BLOBS = 5;

export async function readMetadata(source: BundleSource): Promise<MetadataReader> {
  return source.seekable ? fromSeekable(source) : fromStream(source);
}

async function checked(bytes: Promise<Buffer>, digest: Digest, what: string, label: string): Promise<Buffer> {
  const content = await bytes;
  const found = digestOf(content);
  if (found !== digest) throw damagedMetadata(label, what, digest, found);
  return content;
}

/** A folder or a tar file: every name is known before the first byte is read, and order does not matter. */
async function fromSeekable(source: BundleSource): Promise<MetadataReader> {
  const { label } = source;
  const entries = new Map<string, BundleEntry>();
  let cut: FerryError | undefined;
  try {
    for await (const entry of source.entries()) {
      if (entries.has(entry.name)) throw malformed(label, `it holds ${entry.name} twice`);
      entries.set(entry.name, entry);
    }
  } catch (error) {
    // A bundle that was cut can still say what it should have held.
    if (!isFerryError(error, "BUNDLE_TRUNCATED")) throw error;
    cut = error;
  }
  const take = (name: string): BundleEntry | undefined => {
    const entry = entries.get(name);
    entries.delete(name);
    return entry;
  };
  return {
    file: async (name) => {
      const nothing = entries.size === 0;
      const entry = take(name);
      if (entry !== undefined) return entry.bytes();
      if (cut !== undefined || nothing) throw endsInMetadata(label, name);
      throw malformed(
        label,
        `it holds no ${name}`,
        `A bundle is what "ferry build" writes: an OCI image layout as a tar or a folder. Is this the right path?`,
      );
    },
    blob: async (digest, what) => {
      const entry = take(blobName(digest));
      if (entry === undefined) throw endsInMetadata(label, `${what} (${blobName(digest)})`);
      return checked(entry.bytes(), digest, what, label);
    },
    rest: () => ({ seekable: true, entries, cut }),
  };
}

/** A stream cannot be asked for a name: the metadata must come first. */
function fromStream(source: BundleSource): MetadataReader {
  const { label } = source;
  const iterator = source.entries()[Symbol.asyncIterator]();
  const ahead = new Map<string, Buffer>();
  let blobs = 0;
  const order = (found: string, expected: string): Error =>
    malformed(
      label,
      `${found} comes where ${expected} is expected`,
      "Read as a stream, a bundle must have its metadata first, as ferry writes it. Give a tar of another order as a file.",
    );
  return {
    file: async (name) => {
      const next = await iterator.next();
      if (next.done === true) throw endsInMetadata(label, name);
      if (next.value.name !== name) throw order(next.value.name, name);
      return next.value.bytes();
    },
    blob: async (digest, what) => {
      const wanted = blobName(digest);
      while (!ahead.has(wanted)) {
        const next = await iterator.next();
        if (next.done === true) throw endsInMetadata(label, what);
        const { name } = next.value;
        if (ahead.has(name) || name === INDEX_FILE || name === LAYOUT_FILE) {
          throw malformed(label, `it holds ${name} twice`);
        }
        if (++blobs > METADATA_BLOBS) throw order(name, what);
        ahead.set(name, await next.value.bytes());
      }
      const bytes = ahead.get(wanted) ?? Buffer.alloc(0);
      ahead.delete(wanted);
      return checked(Promise.resolve(bytes), digest, what, label);
    },
    rest: () => {
      const [name] = ahead.keys();
      if (name !== undefined) throw order(name, "metadata");
      return { seekable: false, entries: { [Symbol.asyncIterator]: () => iterator } };
    },
  };
}
