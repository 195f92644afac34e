import { z } from "zod";
import { sumSizes } from "../lib/size.ts";
import { KeyRef } from "../trust/key-id.ts";
import { ANNOTATION_IMPORTED_AT, ANNOTATION_YIELDS } from "../wire/store-annotations.ts";
import type { CarriedBlob } from "./carried-blobs.ts";
import { Sha256 } from "./document-values.ts";
import type { Held } from "./import-blobs.ts";
import { PathConflict, Preference } from "./import-conflicts.ts";
import type { Recorded } from "./import-record.ts";
import type { OpenedBundle } from "./open.ts";

const Amount = z.strictObject({ contents: z.int(), bytes: z.int() });

/** What became of one bundle. Sizes are bytes. */
export const ImportReport = z.strictObject({
  /** The path that was read, or `standard input`. */
  bundle: z.string(),
  name: z.string(),
  counter: z.int(),
  created: z.string(),
  manifest: Sha256,
  /** `unchanged`: the store had all of it. `repaired`: it had the bundle, but some contents were absent or damaged. */
  outcome: z.enum(["imported", "repaired", "unchanged"]),
  importedAt: z.string(),
  /** The trusted keys that signed; empty where `--allow-unsigned` let it pass unchecked. */
  signedBy: z.array(KeyRef),
  /** Paths that a mirror will serve. */
  files: z.int(),
  /** Distinct contents of the bundle. */
  total: Amount,
  written: Amount,
  /** Contents that the store had: hashed again, found good, and not written. */
  skipped: Amount,
  /** Paths that another bundle fills with other bytes, and which of the two was preferred. */
  conflicts: z.array(PathConflict),
  prefer: Preference.nullable(),
});
export type ImportReport = z.infer<typeof ImportReport>;

/** Contents that have to be written: absent from the store, or damaged there. */
export function lacking({ blobs }: OpenedBundle, held: Held): CarriedBlob[] {
  return blobs.filter(({ digest }) => held.get(digest) !== "ok");
}

/** `rewritten`: how many metadata blobs the store lacked, or had damaged. */
export function reportImport(
  opened: OpenedBundle,
  held: Held,
  done: Recorded & { rewritten: number; prefer: Preference | undefined },
): ImportReport {
  const { document, blobs } = opened;
  const { entry, conflicts, changed, rewritten, prefer } = done;
  const wrote = lacking(opened, held);
  const kept = blobs.filter(({ digest }) => held.get(digest) === "ok");
  const yields = ANNOTATION_YIELDS in (entry.annotations ?? {});
  return {
    bundle: opened.label,
    name: document.name,
    counter: document.counter,
    created: document.created,
    manifest: opened.manifestDigest,
    outcome: changed ? "imported" : wrote.length + rewritten > 0 ? "repaired" : "unchanged",
    importedAt: entry.annotations?.[ANNOTATION_IMPORTED_AT] ?? "",
    signedBy: opened.signedBy,
    files: document.files.length,
    total: { contents: blobs.length, bytes: sumSizes(blobs) },
    written: { contents: wrote.length, bytes: sumSizes(wrote) },
    skipped: { contents: kept.length, bytes: sumSizes(kept) },
    conflicts,
    prefer: conflicts.length === 0 ? null : yields ? "old" : (prefer ?? "new"),
  };
}
