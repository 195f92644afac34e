import { type Descriptor, INDEX_FILE, Index } from "../wire/oci.ts";
import {
  ANNOTATION_IMPORTED_AT,
  ANNOTATION_SIGNED_BY,
  ANNOTATION_YIELDS,
  DOES_YIELD,
  SIGNED_BY_NOBODY,
} from "../wire/store-annotations.ts";
import type { PathConflict, Preference } from "./import-conflicts.ts";
import type { OpenedBundle } from "./open.ts";
import { bundleEntries } from "./store-index.ts";
import { rankOf } from "./store-record.ts";

/** What decides how an import is noted. */
export interface Decision {
  /** The index as it is. */
  index: Index;
  /** The bundle's own entry there, where it was imported before. */
  known: Descriptor | undefined;
  conflicts: readonly PathConflict[];
  prefer: Preference | undefined;
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * The index entries of a bundle, its own first, with what the importer notes. An import that brings no new decision leaves
 * time and rank of an earlier one as they are.
 */
export function importedEntries(opened: OpenedBundle, decision: Decision): [Descriptor, ...Descriptor[]] {
  const { index } = decision;
  const [bundle, ...signature] = ownEntries(opened);
  const known = decision.known?.annotations;
  const { importedAt = importTime(index, decision.now), yields } = rankOfImport(decision);
  const signers = opened.signedBy.map(({ keyId }) => keyId).join(",");
  // A signature covers the manifest's digest: what was verified once stays verified, and what was not takes no place.
  const verified = known?.[ANNOTATION_SIGNED_BY] ?? SIGNED_BY_NOBODY;
  const annotations = {
    ...bundle.annotations,
    [ANNOTATION_IMPORTED_AT]: importedAt,
    [ANNOTATION_SIGNED_BY]: signers === "" ? verified : signers,
    ...(yields ? { [ANNOTATION_YIELDS]: DOES_YIELD } : {}),
  };
  const keepsSignature = signers === "" && verified !== SIGNED_BY_NOBODY;
  return [{ ...bundle, annotations }, ...(keepsSignature ? [] : signature)];
}

/** `importedAt` is undefined for a new decision, which is taken now. */
function rankOfImport({ known, conflicts, prefer }: Decision): {
  importedAt: string | undefined;
  yields: boolean;
} {
  const decides = prefer !== undefined && conflicts.length > 0;
  if (known === undefined || decides) return { importedAt: undefined, yields: decides && prefer === "old" };
  const { importedAt, yields } = rankOf(known);
  return { importedAt, yields };
}

function ownEntries({ metadata }: OpenedBundle): [Descriptor, ...Descriptor[]] {
  const indexJson = metadata.find(({ name }) => name === INDEX_FILE)?.bytes.toString("utf8") ?? "";
  const [bundle, ...signature] = Index.parse(JSON.parse(indexJson)).manifests;
  if (bundle === undefined) throw new Error("an opened bundle has an index entry");
  return [bundle, ...signature];
}

/** Now, or just after the last import where a clock went back: the order of imports decides what is served. */
function importTime(index: Index, now: number): string {
  const times = bundleEntries(index).map((entry) =>
    Date.parse(entry.annotations?.[ANNOTATION_IMPORTED_AT] ?? ""),
  );
  const last = Math.max(-Infinity, ...times.filter((time) => !Number.isNaN(time)));
  return new Date(Math.max(now, last + 1)).toISOString();
}
