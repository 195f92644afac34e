import type { IncomingMessage, ServerResponse } from "node:http";
import { apiHandler } from "./api-host.ts";
import { blobHandler } from "./blob-host.ts";
import { Catalog } from "./catalog.ts";
import type { Content } from "./content.ts";
import { type DownloadOptions, downloadHandler, downloadUrl } from "./download-host.ts";
import { type Ask, type Bases, type Handler, type HostName, textAnswer } from "./exchange.ts";
import { FaultBook, type FaultOrder } from "./fault.ts";
import { answerWithFault, viewOf } from "./fault-answer.ts";
import { releasesFromFixture } from "./fixture.ts";
import { type Listening, listen } from "./listen.ts";
import { type Limits, RateLimit } from "./rate-limit.ts";
import type { PracticeRelease, ReleaseSeed } from "./release.ts";
import { type RequestRecord, recordOf } from "./request-log.ts";
import { send } from "./send.ts";

export interface UpstreamOptions {
  /** Default: the real releases of the fixture, their sizes divided by 1000. */
  releases?: readonly ReleaseSeed[];
  /** Tags that have a source archive and no release; default: ComfyUI v0.39.2. */
  sources?: readonly { repo: string; tag: string; bytes?: Uint8Array }[];
  /** The only token that the API takes; default: any. */
  token?: string;
  /** Requests an hour; default 1000 without a token (GitHub: 60) and 5000 with one. */
  limits?: Partial<Limits>;
  /** How long a signed address of the blob host lives; default 300, as GitHub's. */
  signatureSeconds?: number;
  /** The API's path on the github host; default `/api/v3`, as GitHub Enterprise has it. */
  apiPath?: string;
  /** The API gets an origin of its own, as api.github.com has. */
  ownApiHost?: boolean;
  /** Milliseconds since the epoch: for signatures and rate limits. */
  now?: () => number;
}

/** A GitHub on the loopback interface. Whatever is changed is seen by the next request. */
export interface Upstream {
  githubUrl: string;
  apiUrl: string;
  blobUrl: string;
  /** What makes `ferry` ask here: FERRY_GITHUB_URL and FERRY_GITHUB_API_URL. */
  env: { FERRY_GITHUB_URL: string; FERRY_GITHUB_API_URL: string };
  /** Every request so far, in the order of arrival. */
  requests: readonly RequestRecord[];
  fault(order: FaultOrder): void;
  /** A release to look at or to change; throws where there is none. */
  release(repo: string, tag: string): PracticeRelease;
  addRelease(seed: ReleaseSeed): PracticeRelease;
  /** Gives a tag a source archive, or other bytes to one that has it. */
  addSource(repo: string, tag: string, bytes?: Uint8Array): Content;
  /** The address of an asset, as the API publishes it. */
  downloadUrl(repo: string, tag: string, name: string): string;
  /** Throws, naming them, where a request was unexpected or a fault did not strike as often as ordered. */
  assertDone(): void;
  /** Ends all connections. Does not assert. */
  close(): Promise<void>;
}

const SOURCES: NonNullable<UpstreamOptions["sources"]> = [{ repo: "Comfy-Org/ComfyUI", tag: "v0.39.2" }];

export async function startUpstream(options: UpstreamOptions = {}): Promise<Upstream> {
  const catalog = new Catalog();
  for (const seed of options.releases ?? releasesFromFixture()) catalog.add(seed);
  for (const { repo, tag, bytes } of options.sources ?? SOURCES) catalog.addSource(repo, tag, bytes);

  const apiPath = options.apiPath ?? (options.ownApiHost === true ? "" : "/api/v3");
  const bases: Bases = { github: "", api: "", blob: "" };
  const desk = new FrontDesk(options.now ?? Date.now, bases, handlersOf(catalog, bases, options));
  const servers: Listening[] = [];
  const open = async (hostOf: (path: string) => HostName): Promise<string> => {
    const server = await listen((request, response) => void desk.serve(hostOf, apiPath, request, response));
    servers.push(server);
    return server.origin;
  };
  const isApi = (path: string): boolean => path === apiPath || path.startsWith(`${apiPath}/`);
  const shared = options.ownApiHost !== true;
  bases.github = await open((path) => (shared && isApi(path) ? "api" : "github"));
  bases.api = `${shared ? bases.github : await open(() => "api")}${apiPath}`;
  bases.blob = await open(() => "blob");

  return {
    githubUrl: bases.github,
    apiUrl: bases.api,
    blobUrl: bases.blob,
    env: { FERRY_GITHUB_URL: bases.github, FERRY_GITHUB_API_URL: bases.api },
    requests: desk.requests,
    fault: (order) => {
      desk.faults.add(order);
    },
    release: (repo, tag) => catalog.release(repo, tag),
    addRelease: (seed) => catalog.add(seed),
    addSource: (repo, tag, bytes) => catalog.addSource(repo, tag, bytes),
    downloadUrl: (repo, tag, name) => downloadUrl(bases, repo, tag, name),
    assertDone: () => {
      desk.assertDone();
    },
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

type Handlers = Record<HostName, Handler>;

function handlersOf(catalog: Catalog, bases: Bases, options: UpstreamOptions): Handlers {
  const downloads: DownloadOptions = { catalog, bases, signatureSeconds: options.signatureSeconds ?? 300 };
  const rateLimit = new RateLimit({ anonymous: 1_000, token: 5_000, ...options.limits });
  return {
    api: apiHandler({ ...downloads, rateLimit, token: options.token }),
    github: downloadHandler(downloads),
    blob: blobHandler(catalog),
  };
}

/** Takes every request of every host: writes it down, lets faults strike, has it answered. */
class FrontDesk {
  readonly faults = new FaultBook();
  readonly requests: RequestRecord[] = [];
  readonly #now: () => number;
  readonly #bases: Bases;
  readonly #handlers: Handlers;

  constructor(now: () => number, bases: Bases, handlers: Handlers) {
    this.#now = now;
    this.#bases = bases;
    this.#handlers = handlers;
  }

  async serve(
    hostOf: (path: string) => HostName,
    apiPath: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const [path = "", query] = (request.url ?? "").split(/\?(.*)/s);
    const host = hostOf(path);
    const ask: Ask = {
      host,
      method: request.method ?? "",
      path: host === "api" ? path.slice(apiPath.length) : path,
      query: new URLSearchParams(query),
      headers: request.headers,
      now: this.#now(),
      view: viewOf,
    };
    const fault = this.faults.take(ask);
    const record = recordOf(ask, fault);
    this.requests.push(record);
    if (fault?.kind === "hang-up") {
      response.destroy();
      return;
    }
    const known = ask.method === "GET" || ask.method === "HEAD";
    const answer = known ? answerWithFault(this.#handlers[host], ask, fault, this.#bases) : undefined;
    record.unexpected = answer === undefined;
    const said = answer ?? textAnswer(404, `the practice upstream did not expect ${ask.method} ${path}`);
    record.status = said.status;
    await send(response, ask.method, said, fault, (bytes) => {
      record.bytes += bytes;
    });
  }

  assertDone(): void {
    const unexpected = this.requests
      .filter((record) => record.unexpected)
      .map(({ method, host, path }) => `unexpected request ${method} ${path} to the ${host} host`);
    const problems = [...unexpected, ...this.faults.unused()];
    if (problems.length > 0) {
      throw new Error(`the practice upstream is not content:\n  ${problems.join("\n  ")}`);
    }
  }
}
