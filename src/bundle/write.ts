import { writeTar } from "../archive/bundle-tar.ts";
import { writeLayoutFolder } from "../archive/folder-writer.ts";
import type { LayoutEntry } from "../archive/layout-entry.ts";
import { sumSizes } from "../lib/size.ts";
import { withProgress } from "../lib/with-progress.ts";
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
  const work = { id: "write", label: `write ${document.name}`, total: sumSizes(rendered.blobs) };
  return withProgress(logger, work, (onBytes) =>
    output.endsWith("/")
      ? writeLayoutFolder(output, entries, { signal, onBytes })
      : writeTar(output, entries, { mtime: new Date(document.created), signal, onBytes }),
  );
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
