import { stringify } from "yaml";
import type { Catalog } from "./catalog.ts";

/** What a client asked of a repository, as far as a spec can name it. */
export interface Wanted {
  repo: string;
  tag: string;
  /** An asset's name, where one was asked for. */
  asset?: string;
}

/** Lines for the spec of the next bundle that would bring what was asked for. */
export function specLines(catalog: Catalog, { repo, tag, asset }: Wanted): string {
  const key = catalog.repo(repo)?.repo ?? repo;
  const engine = engineOf(catalog, key, tag);
  const lines = engine === undefined ? [] : [stringify({ engines: [engine] }).trimEnd()];
  if (asset !== undefined) {
    if (lines.length > 0) lines.push("or, for this one file:");
    lines.push(stringify({ assets: [{ repo: key, tag, include: [asset] }] }).trimEnd());
  } else if (lines.length === 0) {
    lines.push(stringify({ assets: [{ repo: key, tag, include: ["*"] }] }).trimEnd());
  }
  return lines.join("\n\n");
}

/** The engine whose releases the repository holds, where the tag is one of its versions (with or without a `v`). */
function engineOf(
  catalog: Catalog,
  repo: string,
  tag: string,
): { engine: string; versions: string[] } | undefined {
  for (const [engine, { github, versions }] of catalog.recipes) {
    if (github?.toLowerCase() !== repo.toLowerCase()) continue;
    const version = [tag, tag.replace(/^v/, "")].find((text) => new RegExp(versions.pattern, "u").test(text));
    if (version !== undefined) return { engine, versions: [version] };
  }
  return undefined;
}
