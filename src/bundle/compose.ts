import { compareText } from "../lib/compare-text.ts";
import { publicAddress } from "../lib/redact.ts";
import type { GithubRelease } from "../wire/github.ts";
import type { BundleDocument, CarriedFile, CarriedRelease } from "./document.ts";
import type { PythonPart } from "./document-python.ts";
import type { FetchedFile } from "./fetch.ts";
import type { Plan, PlannedBuild } from "./plan.ts";
import { pythonBuild } from "./python/compose-python.ts";

/**
 * The document of a plan whose files have been fetched. A function of its inputs: the same plan and files give the same
 * document on every machine at every hour. `sourceDateEpoch` is in seconds.
 */
export function composeDocument(
  plan: Plan,
  files: readonly FetchedFile[],
  sourceDateEpoch: number | undefined,
  python?: PythonPart,
): BundleDocument {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return {
    formatVersion: 1,
    name: plan.spec.name,
    counter: plan.spec.counter,
    created: creationTime(files, sourceDateEpoch),
    spec: plan.spec as unknown as BundleDocument["spec"],
    recipes: [...plan.recipes].sort((a, b) => compareText(a.engine, b.engine)),
    builds: plan.builds.map(carriedBuild),
    files: [...byPath.values()].map(carriedFile).sort((a, b) => compareText(a.path, b.path)),
    releases: plan.releases
      .map(({ repo, release }) => carriedRelease(repo, release, [...byPath.values()]))
      .filter((release) => release.assets.length > 0)
      .sort((a, b) => compareText(a.repo, b.repo) || compareText(a.tag, b.tag)),
    missing: plan.missing,
    ...(python === undefined ? {} : { python }),
  };
}

function carriedBuild(planned: PlannedBuild): BundleDocument["builds"][number] {
  const { engine, version, arch, variant, build, needs, artifacts } = planned;
  const named = { engine, version, arch, variant, build, needs };
  const files = artifacts.map((artifact) => artifact.path);
  const python = pythonBuild(planned);
  if (python === undefined) return { ...named, files };
  return { ...named, files: [python.lock, ...files], python };
}

function carriedFile({ path, digest, size, url, updatedAt, trust }: FetchedFile): CarriedFile {
  return { path, digest, size, url: publicAddress(url), updatedAt, trust };
}

function carriedRelease(repo: string, release: GithubRelease, files: readonly FetchedFile[]): CarriedRelease {
  const here = new Map(
    files.flatMap((file) =>
      file.asset?.repo.toLowerCase() === repo.toLowerCase() && file.asset.tag === release.tag_name
        ? [[file.asset.name, file] as const]
        : [],
    ),
  );
  return {
    repo,
    id: release.id,
    nodeId: release.node_id,
    tag: release.tag_name,
    name: release.name,
    targetCommitish: release.target_commitish,
    prerelease: release.prerelease,
    immutable: release.immutable,
    createdAt: release.created_at,
    publishedAt: release.published_at ?? release.created_at,
    assets: release.assets
      .flatMap((asset) => {
        const file = here.get(asset.name);
        if (file === undefined) return [];
        return [
          {
            id: asset.id,
            nodeId: asset.node_id,
            name: asset.name,
            label: asset.label,
            contentType: asset.content_type,
            size: file.size,
            digest: file.digest,
            createdAt: asset.created_at,
            updatedAt: asset.updated_at,
          },
        ];
      })
      .sort((a, b) => compareText(a.name, b.name)),
  };
}

/** SOURCE_DATE_EPOCH, else the newest upload time among the files: never the clock, so that a second run says the same. */
function creationTime(files: readonly FetchedFile[], sourceDateEpoch: number | undefined): string {
  const newest = Math.max(0, ...files.map((file) => Date.parse(file.updatedAt)).filter(Number.isFinite));
  const seconds = sourceDateEpoch ?? Math.floor(newest / 1000);
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}
