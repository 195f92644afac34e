import { z } from "zod";
import { interrupted } from "../errors.ts";
import type { Digest } from "../lib/digest.ts";
import { inParallel } from "../lib/in-parallel.ts";
import { sumSizes } from "../lib/size.ts";
import { withProgress } from "../lib/with-progress.ts";
import type { Logger } from "../log.ts";
import type { LayoutStore } from "../store/layout-store.ts";
import { Sha256 } from "./document-values.ts";
import { type NamedBlob, namedBlobs } from "./named-blobs.ts";

const DamagedContent = z.strictObject({
  digest: Sha256,
  /** `absent`: a bundle names it, and it is not there. */
  state: z.enum(["damaged", "absent"]),
  /** `unnamed`: no bundle that can be read names it. */
  kind: z.enum(["file", "manifest", "document", "signature", "unnamed"]),
  /** Mirror paths that are served from it. */
  paths: z.array(z.string()),
  /** Bundles that name it: `site-a 3`. */
  bundles: z.array(z.string()),
});

/** `ferry scrub --json`. Sizes are bytes. */
export const ScrubReport = z.strictObject({
  store: z.string(),
  /** Bundles of the index. */
  bundles: z.int(),
  /** Blobs whose bytes were read and hashed. */
  checked: z.strictObject({ blobs: z.int(), bytes: z.int() }),
  damaged: z.array(DamagedContent),
  /** Bundles whose record is damaged, so that nobody can say what they need. */
  unreadable: z.array(z.string()),
});
export type ScrubReport = z.infer<typeof ScrubReport>;

export interface ScrubOptions {
  /** Blobs hashed at once; at least 1. */
  concurrency: number;
  logger: Logger;
  signal: AbortSignal;
}

interface Sized {
  digest: Digest;
  size: number;
}

/**
 * Hashes every blob of a store, and looks for those that bundles name and that are not there. Changes nothing.
 * Bundles may be imported and removed meanwhile: what is named is asked afterwards. Throws STORE_DAMAGED where the index
 * itself cannot be read, INTERRUPTED.
 */
export async function scrubStore(store: LayoutStore, options: ScrubOptions): Promise<ScrubReport> {
  const blobs: Sized[] = [];
  for await (const blob of store.list()) blobs.push(blob);
  const states = await hashAll(store, blobs, options);

  const { named, unreadable, bundles } = await namedBlobs(store, await store.readIndex());
  const late = [...named]
    .filter(([digest]) => !states.has(digest))
    .map(([digest, { size }]) => ({ digest, size }));
  const lateStates = await hashAll(store, late, options);
  const all = new Map([...states, ...lateStates]);
  const damaged = [...all].flatMap(([digest, state]) => {
    const blob = named.get(digest);
    // Removed while we looked, and nobody misses it.
    if (state === "ok" || (state === "absent" && blob === undefined)) return [];
    return [{ digest, state, ...describe(blob) }];
  });
  const read = [...blobs, ...late].filter(({ digest }) => all.get(digest) !== "absent");
  return {
    store: store.root,
    bundles,
    checked: { blobs: read.length, bytes: sumSizes(read) },
    damaged: damaged.sort((a, b) => (a.digest < b.digest ? -1 : 1)),
    unreadable,
  };
}

function describe(
  blob: NamedBlob | undefined,
): Pick<z.infer<typeof DamagedContent>, "kind" | "paths" | "bundles"> {
  if (blob === undefined) return { kind: "unnamed", paths: [], bundles: [] };
  return { kind: blob.kind, paths: [...blob.paths].sort(), bundles: [...blob.bundles] };
}

async function hashAll(
  store: LayoutStore,
  blobs: readonly Sized[],
  { concurrency, logger, signal }: ScrubOptions,
): Promise<Map<Digest, "ok" | "damaged" | "absent">> {
  const states = new Map<Digest, "ok" | "damaged" | "absent">();
  if (blobs.length === 0) return states;
  const work = { id: "scrub", label: `scrub ${store.root}`, total: sumSizes(blobs) };
  await withProgress(logger, work, async (advance) => {
    await inParallel(blobs, concurrency, async ({ digest, size }) => {
      if (signal.aborted) throw interrupted("scrubbing");
      states.set(digest, await store.verify(digest, size));
      advance(size);
    });
  });
  return states;
}
