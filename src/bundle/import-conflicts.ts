import { z } from "zod";
import { FerryError } from "../errors.ts";
import { printable } from "../lib/printable.ts";
import { aliasesOf, pathKey } from "../recipe/repo-key.ts";
import { byRank } from "../wire/store-annotations.ts";
import { type BundleDocument, type CarriedFile } from "./document.ts";
import { Sha256 } from "./document-values.ts";
import { rankOf, type StoredBundle } from "./store-record.ts";

/** Which bytes are served under a path that two bundles fill differently. */
export const Preference = z.enum(["new", "old"]);
export type Preference = z.infer<typeof Preference>;

const Side = z.strictObject({ bundle: z.string(), digest: Sha256, updatedAt: z.string() });

/** A mirror path under which the store serves other bytes than a bundle carries. */
export const PathConflict = z.strictObject({ path: z.string(), old: Side, new: Side });
export type PathConflict = z.infer<typeof PathConflict>;

/** How many are written out in a message; the details hold them all. */
const SHOWN = 10;

/**
 * Paths whose served bytes an import would change or contradict, sorted. `others` are the bundles of the store without the
 * one that is imported. Paths are compared as the mirror looks them up: without regard to case and renamings of owners.
 */
export function findConflicts(document: BundleDocument, others: readonly StoredBundle[]): PathConflict[] {
  const documents = [...others.map((other) => other.document), document];
  const aliases = aliasesOf(documents.flatMap(({ recipes }) => recipes.map(({ recipe }) => recipe)));
  const served = new Map<string, { file: CarriedFile; bundle: string }>();
  for (const other of [...others].sort((a, b) => byRank(rankOf(a.entry), rankOf(b.entry)))) {
    const bundle = called(other.document);
    for (const file of other.document.files) served.set(pathKey(file.path, aliases), { file, bundle });
  }
  return document.files
    .flatMap((file): PathConflict[] => {
      const known = served.get(pathKey(file.path, aliases));
      if (known === undefined || known.file.digest === file.digest) return [];
      const side = (bundle: string, { digest, updatedAt }: CarriedFile): PathConflict["old"] => ({
        bundle,
        digest,
        updatedAt,
      });
      return [{ path: file.path, old: side(known.bundle, known.file), new: side(called(document), file) }];
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Throws BUNDLE_CONFLICT with both digests and bundles of each path. */
export function refuseConflicts(label: string, conflicts: readonly PathConflict[]): void {
  if (conflicts.length === 0) return;
  const lines = conflicts
    .slice(0, SHOWN)
    .map(
      ({ path, old, new: fresh }) => `${printable(path)}\n    here: ${side(old)}\n    new:  ${side(fresh)}`,
    );
  const more = conflicts.length > SHOWN ? `\n  and ${conflicts.length - SHOWN} more` : "";
  const count = conflicts.length === 1 ? "a path" : `${conflicts.length} paths`;
  throw new FerryError(
    "BUNDLE_CONFLICT",
    `${label} carries other bytes under ${count} that this store serves already:\n  ${lines.join("\n  ")}${more}`,
    {
      hint: "Somebody replaced a file upstream under the same name. Ask which one is right, then import again with --prefer new (serve this bundle's bytes) or --prefer old (keep what is served now).",
      details: { conflicts },
    },
  );
}

function side({ digest, bundle, updatedAt }: PathConflict["old"]): string {
  return `${digest} of ${printable(updatedAt)}, in bundle ${bundle}`;
}

function called({ name, counter }: BundleDocument): string {
  return `${name} ${counter}`;
}
