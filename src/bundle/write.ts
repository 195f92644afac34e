import { writeTar } from "../archive/bundle-tar.ts";
import { writeLayoutFolder } from "../archive/folder-writer.ts";
import type { LayoutEntry } from "../archive/layout-entry.ts";
import type { Logger } from "../log.ts";
import type { LocalBlobStore } from "../store/blob-store.ts";
import { blobName } from "../wire/oci.ts";
import type { BundleDocument } from "./document.ts";
import type { RenderedBundle } from "./manifest.ts";

export interface WriteInput {
  document: BundleDocument;
  rendered: RenderedBundle;
  /** Holds every content, verified. */
  store: LocalBlobStore;
  /** A tar file, or a folder where it ends in a slash. */
  output: string;
  signal: AbortSignal;
  logger: Logger;
}

/** Writes the bundle in one step under its name. Returns bytes: of the tar, or of the folder's files. */
export async function writeBundle(input: WriteInput): Promise<number> {
  const { document, rendered, output, signal, logger } = input;
  const entries = bundleEntries(input);
  const total = rendered.blobs.reduce((sum, blob) => sum + blob.size, 0);
  const id = "write";
  logger.progress({ kind: "start", id, label: `write ${document.name}`, total, done: 0 });
  const onBytes = (bytes: number): void => {
    logger.progress({ kind: "advance", id, bytes });
  };
  let ok = false;
  try {
    const written = output.endsWith("/")
      ? await writeLayoutFolder(output, entries, { signal, onBytes })
      : await writeTar(output, entries, { mtime: new Date(document.created), signal, onBytes });
    ok = true;
    return written;
  } finally {
    logger.progress({ kind: "end", id, ok });
  }
}

/** Metadata first, then every content by digest: the order that a reader of a stream relies on. */
function bundleEntries({ rendered, store }: WriteInput): LayoutEntry[] {
  return [
    ...rendered.metadata.map(({ name, bytes }) => ({ name, size: bytes.length, content: bytes })),
    ...rendered.blobs.map(({ digest, size }) => ({
      name: blobName(digest),
      size,
      content: store.pathOf(digest),
    })),
  ];
}
