/**
 * The "simple" API of package indexes (PEP 503, 691, 700, 714), as a mirror renders it: one page for each project, and
 * the list of projects. What uv's and pip's readers need and refuse is in their sources: no field is ever null, a time
 * is never empty, and `core-metadata` stands without its old alias, which old pips misread.
 */
export const SIMPLE_JSON = "application/vnd.pypi.simple.v1+json";
export const SIMPLE_HTML = "application/vnd.pypi.simple.v1+html";
/** Without a charset: clients compare it whole, and the page says its own. */
export const SIMPLE_TEXT_HTML = "text/html";

const API_VERSION = "1.4";

/** A file of a project's page. */
export interface SimpleFile {
  /** Decoded: `torch-2.10.0+cu129-…whl`. */
  filename: string;
  /** Encoded; absolute, or relative to the page. */
  url: string;
  /** 64 hexadecimal digits. */
  sha256: string;
  size: number;
  /** ISO 8601 in UTC, with a `Z`. */
  uploadTime: string;
  requiresPython?: string | undefined;
  /** The reason, or true where none is given. */
  yanked?: string | true | undefined;
  /** SHA-256 of the file at `url` with `.metadata` behind it; undefined where there is none. */
  metadata?: string | undefined;
}

export interface SimpleProject {
  /** Normalised. */
  name: string;
  versions: readonly string[];
  files: readonly SimpleFile[];
}

export function projectJson({ name, versions, files }: SimpleProject): string {
  return JSON.stringify({
    meta: { "api-version": API_VERSION },
    name,
    versions,
    files: files.map((file) => ({
      filename: file.filename,
      url: file.url,
      hashes: { sha256: file.sha256 },
      size: file.size,
      "upload-time": file.uploadTime,
      // What is undefined, JSON leaves out.
      "requires-python": file.requiresPython,
      yanked: file.yanked ?? false,
      "core-metadata": file.metadata === undefined ? undefined : { sha256: file.metadata },
    })),
  });
}

export function projectHtml({ name, files }: SimpleProject): string {
  return page(`Links for ${name}`, files.map(anchor));
}

export function projectsJson(names: readonly string[]): string {
  return JSON.stringify({
    meta: { "api-version": API_VERSION },
    projects: names.map((name) => ({ name })),
  });
}

/** Links are relative, so the page must be read at an address that ends in a slash. */
export function projectsHtml(names: readonly string[]): string {
  return page(
    "Simple index",
    names.map((name) => `<a href="${escaped(encodeURIComponent(name))}/">${escaped(name)}</a><br/>`),
  );
}

/** `data-upload-time` and `data-size` are no standard; uv reads them, and `--exclude-newer` needs the time. */
function anchor(file: SimpleFile): string {
  const attributes = [
    ["href", `${file.url}#sha256=${file.sha256}`],
    ["data-requires-python", file.requiresPython],
    ["data-core-metadata", file.metadata === undefined ? undefined : `sha256=${file.metadata}`],
    ["data-yanked", file.yanked === true ? "" : file.yanked],
    ["data-upload-time", file.uploadTime],
    ["data-size", String(file.size)],
  ] as const;
  const shown = attributes.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${escaped(value)}"`],
  );
  return `<a ${shown.join(" ")}>${escaped(file.filename)}</a><br/>`;
}

function page(title: string, lines: readonly string[]): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="pypi:repository-version" content="${API_VERSION}">
<title>${escaped(title)}</title>
</head>
<body>
<h1>${escaped(title)}</h1>
${lines.join("\n")}
</body>
</html>
`;
}

const SIGNS: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => SIGNS[sign] ?? "");
}
