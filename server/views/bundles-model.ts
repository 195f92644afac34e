import type { Catalog, CatalogBundle } from "../catalog.ts";

/** Who vouches for a bundle. */
export type Signing =
  | { state: "signed"; keys: { id: string; fingerprint: string | undefined }[] }
  /** The operator allowed an unsigned import. */
  | { state: "unsigned" }
  /** Built into this store and never imported: nobody checked. */
  | { state: "unchecked" };

export interface BundleModel {
  /** `site-a 3` */
  title: string;
  /** Its JSON on this mirror. */
  link: string;
  signing: Signing;
  /** ISO 8601. */
  created: string;
  imported: string | undefined;
  /** `llamacpp b11347` */
  carries: string[];
  files: number;
  bytes: number;
  /** Files that are listed but not here. */
  absent: number;
}

/** Last imported first. */
export function bundlesModel({ bundles }: Catalog, base: string): BundleModel[] {
  return bundles.map((bundle) => bundleModel(bundle, base)).reverse();
}

function bundleModel(bundle: CatalogBundle, base: string): BundleModel {
  const { document, importedAt, absent, bytes } = bundle;
  const { name, counter } = document;
  const engines = document.builds.map(({ engine, version }) => `${engine} ${version}`);
  return {
    title: `${name} ${counter}`,
    link: `${base}/v1/bundles/${encodeURIComponent(`${name}-${counter}`)}`,
    signing: signingOf(bundle),
    created: document.created,
    imported: importedAt,
    carries: [...new Set(engines)],
    files: document.files.length,
    bytes,
    absent: absent.length,
  };
}

function signingOf({ signedBy, signatures }: CatalogBundle): Signing {
  if (signedBy === undefined) return { state: "unchecked" };
  if (signedBy.length === 0) return { state: "unsigned" };
  const keys = signedBy.map((id) => ({
    id,
    fingerprint: signatures.find(({ fingerprint }) => fingerprint.startsWith(`sha256:${id}`))?.fingerprint,
  }));
  return { state: "signed", keys };
}
