/**
 * What a mirror's store notes about a bundle, on the bundle's own entry in `index.json`: nobody signs these, they are the
 * importer's record of what it did.
 */
/** When the import ended, ISO 8601, UTC. Of two imports the later one always has the later time, whatever the clock says. */
export const ANNOTATION_IMPORTED_AT = "dev.engine-ferry.imported-at";
/** Ids of the trusted keys that signed, separated by commas, or `unsigned` where the operator allowed that. */
export const ANNOTATION_SIGNED_BY = "dev.engine-ferry.signed-by";
export const SIGNED_BY_NOBODY = "unsigned";
/**
 * `true` where the operator said that paths which the store has with other bytes stay as they are (`--prefer old`);
 * absent where the newer bundle's bytes are served.
 */
export const ANNOTATION_YIELDS = "dev.engine-ferry.yields";
export const DOES_YIELD = "true";

/** A bundle as far as its rank among others goes. */
export interface Ranked {
  /** undefined where the bundle was built into this store and never imported. */
  importedAt: string | undefined;
  yields: boolean;
  name: string;
  counter: number;
}

/**
 * Orders bundles so that, of two which carry one path with different bytes, the later one's are served: the last imported,
 * but one that yields comes before all that were there when it was imported.
 */
export function byRank(a: Ranked, b: Ranked): number {
  if (a.yields !== b.yields) return a.yields ? -1 : 1;
  return a.yields ? byImport(b, a) : byImport(a, b);
}

/** Later imports come later; what was never imported comes first. */
export function byImport(a: Ranked, b: Ranked): number {
  const [left, right] = [a.importedAt ?? "", b.importedAt ?? ""];
  if (left !== right) return left < right ? -1 : 1;
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.counter - b.counter;
}
