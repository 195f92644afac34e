/**
 * Package URLs of carried files (purl-spec, type `github`: owner and repository in lower case, the tag as version).
 */
export interface Origin {
  /** `owner/repo` as written. */
  repo: string;
  tag: string;
  file: string;
}

/**
 * Where a mirror path comes from: `O/R/releases/download/TAG/FILE` or `O/R/archive/refs/tags/TAG.tar.gz`; undefined for
 * other paths. A tag may hold slashes, a file name may not.
 */
export function originOf(path: string): Origin | undefined {
  const [owner, name, ...rest] = path.split("/");
  if (owner === undefined || name === undefined) return undefined;
  const repo = `${owner}/${name}`;
  const file = rest.at(-1) ?? "";
  if (rest.length >= 4 && rest[0] === "releases" && rest[1] === "download") {
    return { repo, tag: rest.slice(2, -1).join("/"), file };
  }
  if (rest.length >= 4 && rest.slice(0, 3).join("/") === "archive/refs/tags" && file.endsWith(".tar.gz")) {
    return { repo, tag: rest.slice(3).join("/").slice(0, -".tar.gz".length), file };
  }
  return undefined;
}

/** `pkg:github/owner/repo@tag?file_name=…`, with everything but unreserved characters percent-encoded. */
export function githubPurl(repo: string, tag: string, file?: string): string {
  const name = repo.toLowerCase().split("/").map(encode).join("/");
  const query = file === undefined ? "" : `?file_name=${encode(file)}`;
  return `pkg:github/${name}@${encode(tag)}${query}`;
}

/** `pkg:pypi/project@version?file_name=…` of a wheel; the project's name is normalised already. */
export function pypiPurl(project: string, version: string, file: string): string {
  return `pkg:pypi/${encode(project)}@${encode(version)}?file_name=${encode(file)}`;
}

/** `encodeURIComponent` leaves `!'()*` alone, which the purl specification wants encoded; `:` it wants as it is. */
function encode(text: string): string {
  return encodeURIComponent(text)
    .replaceAll("%3A", ":")
    .replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
