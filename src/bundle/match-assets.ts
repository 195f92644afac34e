import picomatch from "picomatch";
import { FerryError } from "../errors.ts";
import type { SpecAssets } from "./spec.ts";

/**
 * The names of a release that a spec entry selects, in the release's order. Every include must match something: a glob
 * that matches nothing is a typing error or a renamed asset, and either would be found out behind the gap. So is a digest
 * under `sha256` of a name that nothing selects. Throws UPSTREAM_MISSING_ASSETS, SPEC_INVALID.
 */
export function matchAssets(entry: SpecAssets, names: readonly string[]): string[] {
  const chosen = new Set<string>();
  const unmatched: string[] = [];
  const excluded = (entry.exclude ?? []).map((glob) => picomatch(glob, { dot: true }));
  for (const glob of entry.include) {
    const matches = picomatch(glob, { dot: true });
    const hits = names.filter((name) => matches(name) && !excluded.some((isExcluded) => isExcluded(name)));
    if (hits.length === 0) unmatched.push(glob);
    for (const hit of hits) chosen.add(hit);
  }
  if (unmatched.length > 0) {
    const has = names.length === 0 ? "it has no assets" : `it has ${names.join(", ")}`;
    throw new FerryError(
      "UPSTREAM_MISSING_ASSETS",
      `${entry.repo} ${entry.tag} has no asset that matches ${unmatched.join(", ")}; ${has}`,
      {
        hint: "Correct the include patterns in the spec.",
        details: { repo: entry.repo, tag: entry.tag, unmatched, names },
      },
    );
  }
  const idle = Object.keys(entry.sha256 ?? {}).filter((name) => !chosen.has(name));
  if (idle.length > 0) {
    throw new FerryError(
      "SPEC_INVALID",
      `the spec states a digest for ${idle.join(", ")}, and include selects no such asset of ${entry.repo} ${entry.tag}`,
      {
        hint: "Correct the name under sha256: a digest that holds nothing to it would go unnoticed.",
        details: { repo: entry.repo, tag: entry.tag, idle, chosen: [...chosen] },
      },
    );
  }
  return names.filter((name) => chosen.has(name));
}
