import type { Clock } from "../lib/clock.ts";
import { type Digest, digestOf, hexOf } from "../lib/digest.ts";
import type { Logger } from "../log.ts";
import type { Door } from "../net/door-types.ts";
import { download, forgetDownload } from "../net/download.ts";
import type { LayoutStore } from "../store/layout-store.ts";

export interface SourceFetch {
  url: string;
  /** undefined: whatever comes is taken, and its digest computed. */
  digest: Digest | undefined;
  /** How people call it. */
  label: string;
  store: LayoutStore;
  door: Door;
  clock: Clock;
  logger: Logger;
  signal: AbortSignal;
  random: () => number;
}

/**
 * Fetches a source archive into the store, unless it lies there good. Nobody says its size beforehand. `look` judges the file
 * before the store takes it. The caller holds the store's turn for fetching.
 */
export async function fetchSource(
  input: SourceFetch,
  look: (file: string) => Promise<void> = () => Promise.resolve(),
): Promise<{ digest: Digest; size: number }> {
  const { url, digest, label, store } = input;
  if (digest !== undefined) {
    const size = await store.stat(digest);
    if (size !== undefined && (await store.ensureGood(digest, size)) === "ok") return { digest, size };
  }
  const partialPath = await store.partialPath(`url-${hexOf(digestOf(url))}`);
  const received = await download({ ...input, size: undefined, partialPath, connections: 1, id: url, label });
  await look(partialPath);
  await store.adopt(partialPath, received.digest);
  await forgetDownload(partialPath);
  return received;
}
