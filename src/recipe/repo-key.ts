import type { Recipe } from "./schema.ts";

/** Former names of repositories, and present ones, both lower case: former to present. */
export type Aliases = ReadonlyMap<string, string>;

/** Repositories that moved and whose old names are still in scripts; GitHub redirects them, whatever a bundle says. */
const MOVED: readonly (readonly [string, string])[] = [
  ["ggerganov/llama.cpp", "ggml-org/llama.cpp"],
  ["comfyanonymous/comfyui", "comfy-org/comfyui"],
  ["indygreg/python-build-standalone", "astral-sh/python-build-standalone"],
];

/** The moves that everybody knows and those that the carried recipes name. */
export function aliasesOf(recipes: readonly Recipe[]): Aliases {
  const named = recipes.flatMap(({ github, formerly = [] }) =>
    github === undefined ? [] : formerly.map((old) => [old.toLowerCase(), github.toLowerCase()] as const),
  );
  return new Map([...MOVED, ...named]);
}

/** How a repository is looked up: GitHub ignores case in owner and name, and old names lead to the new ones. */
export function repoKey(repo: string, aliases: Aliases): string {
  const lower = repo.toLowerCase();
  return aliases.get(lower) ?? lower;
}

/** How a mirror path is looked up: a repository's by its key, with tag and file as they are; any other path exactly. */
export function pathKey(path: string, aliases: Aliases): string {
  // Asked at every request and for every file of a catalog: a pattern costs several times as much.
  const name = path.indexOf("/", path.indexOf("/") + 1);
  const isRepo = name !== -1 && (path.startsWith("/releases/", name) || path.startsWith("/archive/", name));
  if (!isRepo) return path;
  const repo = path.slice(0, name);
  const key = repoKey(repo, aliases);
  return key === repo ? path : `${key}${path.slice(name)}`;
}
