import type { Catalog } from "../catalog.ts";

/** A build that a bundle was made without, as its builder allowed and the bundle records. */
export interface GapModel {
  engine: string;
  version: string;
  arch: string;
  variant: string;
  reason: string;
  bundle: string;
  /** The bundle that has brought it since. */
  filledBy: string | undefined;
}

export function gapsModel({ missing, builds }: Catalog): GapModel[] {
  return missing.map(({ engine, version, arch, variant, reason, bundle }) => {
    const filled = builds.find(
      (build) =>
        build.complete &&
        build.engine === engine &&
        build.version === version &&
        build.arch === arch &&
        build.variant === variant,
    );
    return { engine, version, arch, variant, reason, bundle, filledBy: filled?.bundle };
  });
}
