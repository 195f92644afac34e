import { encodePath } from "../src/wire/github.ts";
import type { Catalog } from "./catalog.ts";

/**
 * Where a client's base was given one level too high or too low: the sentence that names the right one. The end that the
 * path shares with a carried one says what the client pasted to its base, so the rest is what the base must be.
 */
export function rightBase(catalog: Catalog, path: string, base: string): string | undefined {
  return fromFile(catalog, path, base) ?? fromApi(path, base);
}

function fromFile(catalog: Catalog, path: string, base: string): string | undefined {
  const asked = path.split("/");
  const best = catalog
    .named(asked.at(-1) ?? "")
    .map((carried) => ({ carried, shared: sharedEnd(asked, carried.split("/")) }))
    .sort((a, b) => b.shared - a.shared || (a.carried < b.carried ? -1 : 1))[0];
  if (best === undefined) return undefined;
  const carried = best.carried.split("/");
  // The same file name alone, under another tag, says nothing about the base.
  if (best.shared < Math.min(2, asked.length)) return undefined;
  // Nor does a path of the same depth: that is the same file of another repository.
  if (asked.length === carried.length) return undefined;
  const given = asked.slice(0, asked.length - best.shared).join("/");
  const wanted = carried.slice(0, carried.length - best.shared).join("/");
  return (
    `The base address that this client was given does not fit. It was ${join(base, given)} and should be ` +
    `${join(base, wanted)}: then it finds ${join(base, best.carried)}`
  );
}

function fromApi(path: string, base: string): string | undefined {
  const at = `/${path}`.search(/\/repos\/[^/]+\/[^/]+\/releases/);
  if (at <= 0 || path.startsWith("api/v3/repos/")) return undefined;
  return (
    `The API address that this client was given does not fit. It was ${join(base, path.slice(0, at - 1))} and should be ` +
    `${base}/api/v3 (as GitHub Enterprise has it) or ${base} itself.`
  );
}

function sharedEnd(a: readonly string[], b: readonly string[]): number {
  let shared = 0;
  while (shared < Math.min(a.length, b.length) && a.at(-1 - shared) === b.at(-1 - shared)) shared++;
  return shared;
}

function join(base: string, path: string): string {
  return path === "" ? base : `${base}/${encodePath(path)}`;
}
