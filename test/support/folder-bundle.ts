import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { BundleDocument } from "../../src/bundle/document.ts";

/** A bundle that was built as a folder: its document, and its files of less than a mebibyte by mirror path. */
export async function readFolderBundle(
  folder: string,
): Promise<{ document: BundleDocument; files: Map<string, Buffer> }> {
  const blob = (digest: string): Promise<Buffer> =>
    readFile(join(folder, "blobs", "sha256", digest.slice("sha256:".length)));
  const index = JSON.parse(await readFile(join(folder, "index.json"), "utf8")) as {
    manifests: { digest: string }[];
  };
  const manifest = JSON.parse((await blob(index.manifests[0]?.digest ?? "")).toString("utf8")) as {
    config: { digest: string };
  };
  const document = BundleDocument.parse(JSON.parse((await blob(manifest.config.digest)).toString("utf8")));
  const files = new Map<string, Buffer>();
  for (const { path, digest, size } of document.files) {
    if (size < 1024 * 1024) files.set(path, await blob(digest));
  }
  return { document, files };
}
