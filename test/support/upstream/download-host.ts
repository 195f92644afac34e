import { blobPath, sourcePath } from "./blob-host.ts";
import { type Catalog, latestRelease, type Repository } from "./catalog.ts";
import {
  type Answer,
  type Ask,
  type Bases,
  type Handler,
  redirectAnswer,
  segmentsOf,
  textAnswer,
} from "./exchange.ts";
import { signPath } from "./signed-url.ts";

export interface DownloadOptions {
  catalog: Catalog;
  bases: Bases;
  /** How long a redirect's target lives; GitHub gives 300 seconds. */
  signatureSeconds: number;
}

/**
 * The download paths of github.com: `/o/r/releases/download/TAG/ASSET`, `/o/r/releases/latest/download/ASSET` and
 * `/o/r/archive/refs/tags/TAG.tar.gz`. A tag may hold `/`, written so or as `%2F`; every answer is a redirect or a 404.
 */
export function downloadHandler(options: DownloadOptions): Handler {
  return (ask) => {
    const parts = segmentsOf(ask.path);
    if (parts === undefined) return textAnswer(400, "Bad Request");
    const [owner = "", name = "", ...rest] = parts;
    const answer = routeOf(rest);
    if (answer === undefined) return undefined;
    const repository = options.catalog.repository(`${owner}/${name}`);
    if (repository !== undefined) return answer(options, ask, repository);
    const today = options.catalog.renamed(`${owner}/${name}`);
    if (today === undefined) return notFound();
    const tail = ask.path.split("/").slice(3).join("/");
    return redirectAnswer(`${options.bases.github}/${today.name}/${tail}`, 301);
  };
}

type Route = (options: DownloadOptions, ask: Ask, repository: Repository) => Answer;

/** What may follow the repository; a tag holds `/` whichever way it was written. */
const ROUTES: readonly [RegExp, (first: string, second: string) => Route][] = [
  [
    /^releases\/latest\/download\/([^/]+)$/,
    (name) => (options, _, repo) => latestRedirect(options, repo, name),
  ],
  [
    /^releases\/download\/(.+)\/([^/]+)$/,
    (tag, name) => (options, ask, repo) => assetRedirect(options, ask, repo, tag, name),
  ],
  [/^archive\/refs\/tags\/(.+)$/, (archive) => (options, _, repo) => sourceRedirect(options, repo, archive)],
];

function routeOf(rest: readonly string[]): Route | undefined {
  const path = rest.join("/");
  for (const [pattern, route] of ROUTES) {
    const match = pattern.exec(path);
    if (match !== null) return route(match[1] ?? "", match[2] ?? "");
  }
  return undefined;
}

function assetRedirect(
  options: DownloadOptions,
  ask: Ask,
  repository: Repository,
  tag: string,
  name: string,
): Answer {
  const release = repository.releases.find((candidate) => candidate.tag === tag && !candidate.draft);
  const asset = release?.find(name);
  if (asset?.state !== "uploaded") return notFound();
  return redirectAnswer(signedBlobUrl(options, ask, repository, asset));
}

/** Where the blob host gives an asset's bytes for the next minutes. */
export function signedBlobUrl(
  { bases, signatureSeconds }: DownloadOptions,
  ask: Ask,
  repository: Repository,
  asset: Parameters<typeof blobPath>[1],
): string {
  const path = signPath(blobPath(repository, asset), ask.now + signatureSeconds * 1_000, {
    "response-content-disposition": `attachment; filename=${asset.name}`,
  });
  return `${bases.blob}${path}`;
}

function latestRedirect({ bases }: DownloadOptions, repository: Repository, name: string): Answer {
  const latest = latestRelease(repository);
  if (latest === undefined) return notFound();
  return redirectAnswer(downloadUrl(bases, repository.name, latest.tag, name));
}

function sourceRedirect({ bases }: DownloadOptions, repository: Repository, archive: string): Answer {
  const tag = archive.replace(/\.tar\.gz$/, "");
  if (tag === archive || !repository.sources.has(tag)) return notFound();
  return redirectAnswer(`${bases.blob}${sourcePath(repository, tag)}`);
}

/** `browser_download_url`: every part percent-encoded, so that `+` is `%2B` and a tag's `/` is `%2F`. */
export function downloadUrl(bases: Pick<Bases, "github">, repo: string, tag: string, name: string): string {
  return `${bases.github}/${repo}/releases/download/${encodeURIComponent(tag)}/${encodeURIComponent(name)}`;
}

function notFound(): Answer {
  return textAnswer(404, "Not Found");
}
