import type { BundleDocument } from "../src/bundle/document.ts";
import { canonicalJson } from "../src/lib/canonical-json.ts";
import type { Clock } from "../src/lib/clock.ts";
import { digestOf } from "../src/lib/digest.ts";
import type { Logger } from "../src/log.ts";
import { buildCatalog } from "./catalog.ts";
import { openLoopbackMirror } from "./loopback-mirror.ts";
import { viewStore } from "./store-view.ts";

export interface ServedDocument {
  /** Without a slash at the end. */
  url: string;
  /** Paths that were asked for and are not in the document. */
  missed(): string[];
  close(): Promise<void>;
}

/**
 * A mirror of one document alone, on a free port of the loopback: what a node behind the gap would see of a bundle that is
 * not written yet. The contents lie in the store at `root`.
 */
export async function serveDocument(
  document: BundleDocument,
  root: string,
  { clock, logger }: { clock: Clock; logger: Logger },
): Promise<ServedDocument> {
  const store = viewStore(root);
  const bytes = Buffer.from(canonicalJson(document));
  const descriptor = { mediaType: "application/json", digest: digestOf(bytes), size: bytes.length };
  const catalog = buildCatalog(
    [
      {
        document,
        manifest: descriptor,
        documentDigest: descriptor.digest,
        importedAt: undefined,
        yields: false,
        signedBy: undefined,
        signatures: [],
        signatureManifest: undefined,
      },
    ],
    { pathOf: store.pathOf, present: await store.present() },
  );
  const { url, asked, close } = await openLoopbackMirror(
    store,
    { catalog: () => catalog, problem: () => undefined, clock, logger },
    { maxConnections: 256 },
  );
  return { url, missed: () => asked.recent().map(({ path }) => path), close };
}
