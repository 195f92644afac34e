import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { openAccessLog } from "../../server/access-log.ts";
import { createApp } from "../../server/app.ts";
import { type AskedRing, createAskedRing } from "../../server/asked-ring.ts";
import type { Auth } from "../../server/auth.ts";
import { buildCatalog, type Catalog } from "../../server/catalog.ts";
import type { LoadedBundle } from "../../server/catalog-bundle.ts";
import type { CatalogProblem } from "../../server/catalog-watch.ts";
import { createMetrics } from "../../server/metrics.ts";
import { createMirror } from "../../server/mirror.ts";
import { pageRoutes } from "../../server/routes/pages.ts";
import { createStreamSender } from "../../server/senders/stream.ts";
import type { BundleDocument, CarriedFile, CarriedRelease } from "../../src/bundle/document.ts";
import type { Arch } from "../../src/bundle/document-values.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type Digest, digestOf, hexOf, isDigest } from "../../src/lib/digest.ts";
import { silentLogger } from "../../src/log.ts";
import { offers, selectVariants } from "../../src/recipe/query.ts";
import { tagOf } from "../../src/recipe/versions-of.ts";
import { releaseAssetPath } from "../../src/wire/github.ts";
import { builtinTable } from "./recipes.ts";

interface Fixture {
  releases: {
    repo: string;
    tag: string;
    published_at: string;
    prerelease: boolean;
    assets: { name: string; size: number | null; digest: string | null }[];
  }[];
}

const table = await builtinTable();
const fixture = JSON.parse(
  await readFile(join(import.meta.dirname, "../fixtures/releases.json"), "utf8"),
) as Fixture;

/** A real release with its sizes and digests, as far as they are known, of the files that `carried` picks. */
function realRelease(repo: string, tag: string, carried: (name: string) => boolean): CarriedRelease {
  const found = fixture.releases.find((one) => one.repo === repo && one.tag === tag);
  if (found === undefined) throw new Error(`test/fixtures/releases.json has no ${repo} ${tag}`);
  const id = Number.parseInt(hexOf(digestOf(`${repo} ${tag}`)).slice(0, 8), 16);
  return {
    repo,
    id,
    nodeId: `RE_${id}`,
    tag,
    name: tag,
    targetCommitish: "master",
    prerelease: found.prerelease,
    immutable: true,
    createdAt: found.published_at,
    publishedAt: found.published_at,
    assets: found.assets
      .filter(({ name }) => carried(name))
      .map(({ name, size, digest }, at) => ({
        id: id + at + 1,
        nodeId: `RA_${id + at + 1}`,
        name,
        label: null,
        contentType: "application/octet-stream",
        size: size ?? 0,
        digest: digest !== null && isDigest(digest) ? digest : digestOf(`${repo} ${tag} ${name}`),
        createdAt: found.published_at,
        updatedAt: found.published_at,
      })),
  };
}

/** Every build of an engine that a release holds, and the release of exactly their files. */
function carriedVersion(
  engine: string,
  version: string,
  variants?: string[],
): Pick<BundleDocument, "builds" | "releases" | "files"> {
  const recipe = table.recipe(engine);
  const repo = recipe.github ?? "";
  const tag = tagOf(recipe, version);
  const names = realRelease(repo, tag, () => true).assets.map(({ name }) => name);
  const builds = (["amd64", "arm64"] as const satisfies Arch[]).flatMap((arch) =>
    selectVariants(offers(table, { engine, version, arch }, names), variants)
      .filter(({ problem }) => problem === undefined)
      .flatMap(({ build, needs }) => {
        const { wheel } = build;
        const wheels = names.filter(
          (name) => wheel !== undefined && name.startsWith(wheel.prefix) && name.endsWith(wheel.suffix),
        );
        const assets = [...(build.assets ?? []), ...wheels];
        const files = assets.map((name) => releaseAssetPath(repo, tag, name));
        return files.length === 0
          ? []
          : [{ engine, version, arch, variant: build.variant, build, needs, files }];
      }),
  );
  const carried = new Set(builds.flatMap(({ files }) => files));
  const release = realRelease(repo, tag, (name) => carried.has(releaseAssetPath(repo, tag, name)));
  return { builds, releases: [release], files: filesOf([release]) };
}

function filesOf(releases: readonly CarriedRelease[]): CarriedFile[] {
  return releases.flatMap(({ repo, tag, assets }) =>
    assets.map(({ name, digest, size, updatedAt }) => {
      const path = releaseAssetPath(repo, tag, name);
      return { path, digest, size, url: `https://github.com/${path}`, updatedAt, trust: "github" as const };
    }),
  );
}

/** A bundle of the given parts, as it stands in a store. */
export function loadedBundle(
  document: Partial<BundleDocument> & Pick<BundleDocument, "name" | "counter">,
  record: Partial<LoadedBundle> = {},
): LoadedBundle {
  const engines = [
    ...new Set([...(document.builds ?? []), ...(document.missing ?? [])].map(({ engine }) => engine)),
  ];
  const whole: BundleDocument = {
    formatVersion: 1,
    created: "2026-10-12T08:30:00Z",
    spec: { name: document.name },
    recipes: engines
      .filter((engine) => table.entries.some((entry) => entry.engine === engine))
      .map((engine) => ({ engine, recipe: table.recipe(engine) })),
    builds: [],
    files: [],
    releases: [],
    missing: [],
    ...document,
  };
  const digest = digestOf(JSON.stringify(whole));
  return {
    document: whole,
    documentDigest: digest,
    manifest: { mediaType: "application/vnd.oci.image.manifest.v1+json", digest, size: 900 },
    importedAt: undefined,
    yields: false,
    signedBy: undefined,
    signatures: [],
    signatureManifest: undefined,
    ...record,
  };
}

/** A catalog of bundles whose files are all here, but for those that `absent` names. */
export function catalogOf(
  bundles: readonly LoadedBundle[],
  absent: (path: string) => boolean = () => false,
): Catalog {
  const present = new Set(
    bundles.flatMap(({ document }) =>
      document.files.filter(({ path }) => !absent(path)).map(({ digest }) => digest),
    ),
  );
  return buildCatalog(bundles, { present, pathOf: (digest: Digest) => `blobs/sha256/${hexOf(digest)}` });
}

export const SITE_KEY = digestOf("the key of site-a");
const signedBySite = {
  signedBy: [hexOf(SITE_KEY).slice(0, 16)],
  signatures: [{ fingerprint: SITE_KEY, signature: Buffer.alloc(64) }],
};

/** A mirror that has seen some months: signed and unsigned bundles, gaps, a volume that is still to come. */
export function fullCatalog(): Catalog {
  const newest = carriedVersion("llamacpp", "b11347");
  const before = carriedVersion("llamacpp", "b11056", ["cpu", "cuda-13.3"]);
  const uv = carriedVersion("uv", "0.12.23");
  const vllm = carriedVersion("vllm", "0.30.0");
  const python = realRelease("astral-sh/python-build-standalone", "20261003", (name) =>
    name.includes("linux-gnu-install_only"),
  );
  const joined = <K extends "builds" | "releases" | "files">(
    key: K,
    ...parts: Pick<BundleDocument, K>[]
  ): BundleDocument[K] => parts.flatMap((part) => part[key] as unknown[]) as BundleDocument[K];
  return catalogOf(
    [
      loadedBundle(
        {
          name: "site-a",
          counter: 3,
          created: "2026-09-23T06:12:00Z",
          ...before,
          missing: [
            {
              engine: "llamacpp",
              version: "b11056",
              arch: "arm64",
              variant: "vulkan",
              assets: ["llama-b11056-bin-ubuntu-vulkan-arm64.tar.gz"],
              reason:
                "ggml-org/llama.cpp b11056 has no llama-b11056-bin-ubuntu-vulkan-arm64.tar.gz; it has llama-b11056-bin-ubuntu-vulkan-x64.tar.gz",
            },
          ],
        },
        { ...signedBySite, importedAt: "2026-09-25T13:40:11Z" },
      ),
      loadedBundle(
        {
          name: "site-a",
          counter: 4,
          created: "2026-10-10T05:55:00Z",
          builds: joined("builds", newest, uv),
          releases: [...newest.releases, ...uv.releases, python],
          files: [...newest.files, ...uv.files, ...filesOf([python])],
        },
        { ...signedBySite, importedAt: "2026-10-13T09:02:47Z" },
      ),
      loadedBundle(
        { name: "gpu-lab", counter: 1, created: "2026-10-11T17:20:00Z", ...vllm },
        { signedBy: [], importedAt: "2026-10-14T15:31:02Z" },
      ),
    ],
    (path) => path.includes("20261003") && path.includes("aarch64"),
  );
}

/** llama.cpp b11347 with one file of this name. */
export function catalogWithAsset(name: string): Catalog {
  const real = realRelease("ggml-org/llama.cpp", "b11347", (one) => one.endsWith("ubuntu-x64.tar.gz"));
  const release = { ...real, assets: real.assets.slice(0, 1).map((asset) => ({ ...asset, name })) };
  return catalogOf([
    loadedBundle({ name: "one", counter: 1, releases: [release], files: filesOf([release]) }),
  ]);
}

/** What nodes and agents asked a mirror like that for in vain. */
export function askedLately(): AskedRing {
  const asked = createAskedRing();
  const at = (text: string): number => Date.parse(text);
  asked.record(
    "ggml-org/llama.cpp/releases/download/b11459/llama-b11459-bin-ubuntu-x64.tar.gz",
    "release-asset",
    at("2026-10-14T08:12:00Z"),
    12,
  );
  asked.record("simple/torch", "python", at("2026-10-14T09:45:00Z"), 3);
  asked.record("api/v3/repos/astral-sh/ruff/releases/tags/0.16.1", "release-api", at("2026-10-15T06:30:00Z"));
  asked.record(
    "ggml-org/llama.cpp/releases/download/b11347/llama-b11347-bin-win-cpu-x64.zip",
    "release-asset",
    at("2026-10-15T07:03:00Z"),
    2,
  );
  return asked;
}

export interface PageMirror {
  url: string;
  asked: AskedRing;
  close: () => Promise<void>;
}

/** The mirror's own handler over a catalog, listening. Files have no bytes: it is for its pages and its API. */
export async function servePages(
  catalog: Catalog,
  more: {
    asked?: AskedRing;
    baseUrl?: string;
    auth?: Auth;
    problem?: () => CatalogProblem | undefined;
    catalogNow?: () => Catalog;
  } = {},
): Promise<PageMirror> {
  const { asked = createAskedRing(), problem = () => undefined, catalogNow = () => catalog } = more;
  const metrics = createMetrics({ catalog: catalogNow, problem });
  const mirror = createMirror({
    catalog: catalogNow,
    problem,
    sender: createStreamSender({ idleMs: 10_000 }),
    clock: systemClock,
    logger: silentLogger,
    accessLog: openAccessLog("off", systemClock),
    metrics,
    metricsText: () => metrics.registry.metrics(),
    asked,
    auth: () => more.auth,
    baseUrl: more.baseUrl,
    trustProxy: () => false,
    draining: () => false,
    idleMs: 10_000,
  });
  const noBytes = (): Promise<Buffer> => Promise.reject(new Error("this mirror has no bytes"));
  const server = createServer(createApp(mirror, noBytes, [pageRoutes]));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
