/**
 * What a mirror's store notes about a bundle, on the bundle's own entry in `index.json`: nobody signs these, they are the
 * importer's record of what it did.
 */
/** When the import ended, ISO 8601, UTC. */
export const ANNOTATION_IMPORTED_AT = "dev.engine-ferry.imported-at";
/** Ids of the trusted keys that signed, separated by commas, or `unsigned` where the operator allowed that. */
export const ANNOTATION_SIGNED_BY = "dev.engine-ferry.signed-by";
export const SIGNED_BY_NOBODY = "unsigned";
