import { createHash } from "node:crypto";
import type { PracticeAsset } from "./asset.ts";
import { latestRelease, publicReleases, type Repository } from "./catalog.ts";
import { type DownloadOptions, signedBlobUrl } from "./download-host.ts";
import {
  type Answer,
  type Ask,
  type Handler,
  jsonAnswer,
  redirectAnswer,
  segmentsOf,
  textAnswer,
} from "./exchange.ts";
import { pageOf } from "./pages.ts";
import type { RateLimit } from "./rate-limit.ts";
import type { PracticeRelease } from "./release.ts";
import { assetJson, assetsJson, releaseJson } from "./release-json.ts";

export interface ApiOptions extends DownloadOptions {
  rateLimit: RateLimit;
  /** The token that is taken; undefined takes any. */
  token: string | undefined;
}

const DOCUMENTATION = "https://docs.github.com/rest";

/** The release part of GitHub's REST API. `ask.path` is relative to the API's base. */
export function apiHandler(options: ApiOptions): Handler {
  return (ask) => {
    const parts = segmentsOf(ask.path);
    if (parts === undefined) return problem(400, "Bad Request");
    const work = routeOf(parts);
    if (work === undefined) return undefined;
    const refusal = refusalOf(options, ask);
    if (refusal !== undefined) return refusal;
    const answer = conditional(ask, work(options, ask));
    if (answer.status === 304) options.rateLimit.giveBack(ask);
    return {
      ...answer,
      headers: { ...commonHeaders(), ...options.rateLimit.headers(ask), ...answer.headers },
    };
  };
}

function refusalOf({ token, rateLimit }: ApiOptions, ask: Ask): Answer | undefined {
  if ((ask.headers["user-agent"] ?? "") === "") {
    return textAnswer(403, "Request forbidden by administrative rules: it has no User-Agent header.\n");
  }
  const sent = ask.headers.authorization?.replace(/^(Bearer|token) /i, "");
  if (sent !== undefined && token !== undefined && sent !== token) return problem(401, "Bad credentials");
  if (ask.path !== "/rate_limit" && !rateLimit.take(ask)) {
    return problem(403, "API rate limit exceeded for 127.0.0.1.", rateLimit.headers(ask));
  }
  return undefined;
}

type Work = (options: ApiOptions, ask: Ask) => Answer;
type RepositoryWork = (options: ApiOptions, ask: Ask, repository: Repository) => Answer;

function routeOf(parts: readonly string[]): Work | undefined {
  if (parts.length === 1 && parts[0] === "rate_limit") return rateLimitAnswer;
  const byNumber = parts[0] === "repositories";
  if (!byNumber && parts[0] !== "repos") return undefined;
  const [first = "", second = ""] = parts.slice(1);
  const work = repositoryRoute(parts.slice(byNumber ? 2 : 3));
  if (work === undefined) return undefined;
  return (options, ask) => {
    const { catalog, bases } = options;
    const found = byNumber ? catalog.byId(Number(first)) : catalog.repository(`${first}/${second}`);
    if (found !== undefined) return work(options, ask, found);
    const today = byNumber ? undefined : catalog.renamed(`${first}/${second}`);
    if (today === undefined) return problem(404, "Not Found");
    const url = `${bases.api}/repositories/${today.id}/${ask.path.split("/").slice(4).join("/")}`;
    return jsonAnswer(
      301,
      { message: "Moved Permanently", url, documentation_url: DOCUMENTATION },
      { location: url },
    );
  };
}

/** What may follow the repository; a tag holds `/` whichever way it was written. */
const ROUTES: readonly [RegExp, (captured: string) => RepositoryWork][] = [
  [/^releases$/, () => releaseList],
  [/^releases\/latest$/, () => latest],
  [/^releases\/tags\/(.+)$/, byTag],
  [/^releases\/assets\/(\d+)$/, (id) => byAsset(Number(id))],
  [/^releases\/(\d+)$/, (id) => byReleaseId(Number(id), one)],
  [/^releases\/(\d+)\/assets$/, (id) => byReleaseId(Number(id), assetList)],
];

function repositoryRoute(rest: readonly string[]): RepositoryWork | undefined {
  const path = rest.join("/");
  for (const [pattern, work] of ROUTES) {
    const match = pattern.exec(path);
    if (match !== null) return work(match[1] ?? "");
  }
  return undefined;
}

type ReleaseWork = (
  options: ApiOptions,
  ask: Ask,
  repository: Repository,
  release?: PracticeRelease,
) => Answer;

function byReleaseId(id: number, work: ReleaseWork): RepositoryWork {
  return (options, ask, repository) =>
    work(
      options,
      ask,
      repository,
      publicReleases(repository).find((release) => release.id === id),
    );
}

function latest(options: ApiOptions, ask: Ask, repository: Repository): Answer {
  return one(options, ask, repository, latestRelease(repository));
}

function byTag(tag: string): RepositoryWork {
  return (options, ask, repository) => {
    const release = publicReleases(repository).find((candidate) => candidate.tag === tag);
    return one(options, ask, repository, release);
  };
}

function one(options: ApiOptions, ask: Ask, repository: Repository, release?: PracticeRelease): Answer {
  if (release === undefined) return problem(404, "Not Found");
  const body = releaseJson(options.bases, repository, release, ask.view);
  return jsonAnswer(200, body, { "last-modified": new Date(release.publishedAt).toUTCString() });
}

function releaseList({ bases }: ApiOptions, ask: Ask, repository: Repository): Answer {
  const base = `${bases.api}/repositories/${repository.id}/releases`;
  const { items, link } = pageOf(ask, publicReleases(repository), base);
  const body = items.map((release) => releaseJson(bases, repository, release, ask.view));
  return jsonAnswer(200, body, link === undefined ? {} : { link });
}

function assetList(
  { bases }: ApiOptions,
  ask: Ask,
  repository: Repository,
  release?: PracticeRelease,
): Answer {
  if (release === undefined) return problem(404, "Not Found");
  const base = `${bases.api}/repositories/${repository.id}/releases/${release.id}/assets`;
  const { items, link } = pageOf(ask, assetsJson(bases, repository, release, ask.view), base);
  return jsonAnswer(200, items, link === undefined ? {} : { link });
}

/** An asset's JSON, or with `Accept: application/octet-stream` the way to its bytes. */
function byAsset(id: number): RepositoryWork {
  return (options, ask, repository) => {
    const owner = repository.releases.find((release) => release.assets.some((asset) => asset.id === id));
    const asset: PracticeAsset | undefined = owner?.assets.find((candidate) => candidate.id === id);
    const shown = asset === undefined ? undefined : ask.view(asset);
    if (owner === undefined || asset === undefined || shown === undefined) return problem(404, "Not Found");
    if (!(ask.headers.accept ?? "").includes("application/octet-stream")) {
      return jsonAnswer(200, assetJson(options.bases, repository, owner, asset, shown));
    }
    if (asset.state !== "uploaded") return problem(404, "Not Found");
    return redirectAnswer(signedBlobUrl(options, ask, repository, asset));
  };
}

function rateLimitAnswer({ rateLimit }: ApiOptions, ask: Ask): Answer {
  const core = rateLimit.state(ask);
  return jsonAnswer(200, { resources: { core }, rate: core });
}

/** A strong tag over the answer and the token: another token sees another tag, as upstream. */
function conditional(ask: Ask, answer: Answer): Answer {
  if (answer.status !== 200 || typeof answer.body !== "string") return answer;
  const hash = createHash("sha256")
    .update(ask.headers.authorization ?? "")
    .update(answer.body);
  const etag = `"${hash.digest("hex")}"`;
  const known = (ask.headers["if-none-match"] ?? "").split(/\s*,\s*/);
  if (known.includes(etag)) return { status: 304, headers: { etag } };
  const cache = ask.headers.authorization === undefined ? "public" : "private";
  return {
    ...answer,
    headers: { ...answer.headers, etag, "cache-control": `${cache}, max-age=60, s-maxage=60` },
  };
}

function commonHeaders(): Record<string, string> {
  return {
    vary: "Accept, Authorization, Cookie, X-GitHub-OTP",
    "x-github-media-type": "github.v3; format=json",
    "x-github-api-version-selected": "2022-11-28",
    "x-github-request-id": "PRACTICE",
    "x-content-type-options": "nosniff",
  };
}

/** An error as the API words it. */
export function problem(status: number, message: string, headers: Record<string, string> = {}): Answer {
  return jsonAnswer(status, { message, documentation_url: DOCUMENTATION, status: String(status) }, headers);
}
