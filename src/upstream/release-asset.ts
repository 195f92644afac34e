import { FerryError } from "../errors.ts";
import { type Digest, parseDigest, shortDigest } from "../lib/digest.ts";
import { encodePath, type GithubAsset, type GithubRelease, releaseAssetPath } from "../wire/github.ts";
import type { Artifact, TrustSource } from "./artifact.ts";
import { parseChecksums } from "./checksum-file.ts";
import type { Releases } from "./releases.ts";

/** What may vouch for an asset whose release publishes no digest (anything uploaded before June 2025). */
export interface Vouchers {
  /** Digests that the spec states, by asset name (64 hex digits). */
  spec?: Readonly<Record<string, string>> | undefined;
  /** The checksum file of the same release: a name, or a pattern with `{asset}` for one sidecar each. */
  checksums?: string | undefined;
  /** Names that may be carried with a digest computed here. */
  unverified?: readonly string[] | undefined;
}

interface Source {
  releases: Releases;
  repo: string;
  release: GithubRelease;
  /** Base of download URLs, without a trailing slash. */
  githubUrl: string;
  vouchers: Vouchers;
}

/**
 * The artifact that a release asset is, with the strongest available reason to believe its digest.
 * Throws UPSTREAM_UPLOADING while the asset is not whole, UPSTREAM_NO_CHECKSUM where nothing vouches for it, and
 * ASSET_REPLACED where two sources that should agree do not.
 */
export async function artifactOf(asset: GithubAsset, source: Source): Promise<Artifact> {
  const { repo, release } = source;
  refuseUnfinished(asset, repo, release.tag_name);
  const { digest, trust } = await vouchedDigest(asset, source);
  const path = releaseAssetPath(repo, release.tag_name, asset.name);
  return {
    path,
    url: `${source.githubUrl}/${encodePath(path)}`,
    size: asset.size,
    digest,
    trust,
    updatedAt: asset.updated_at,
    asset: { repo, tag: release.tag_name, id: asset.id, name: asset.name, contentType: asset.content_type },
  };
}

/** Whether the asset is whole: GitHub lists assets from the moment an upload begins. */
export function isUploaded(asset: GithubAsset): boolean {
  return asset.state === "uploaded" && asset.size > 0;
}

function refuseUnfinished(asset: GithubAsset, repo: string, tag: string): void {
  if (isUploaded(asset)) return;
  const why = asset.state === "uploaded" ? "has a size of 0 bytes" : `is in state "${asset.state}"`;
  throw new FerryError(
    "UPSTREAM_UPLOADING",
    `${asset.name} of ${repo} ${tag} ${why}: its upload has not finished`,
    {
      hint: "Run the same command again in some minutes, or ask for another version.",
      details: { repo, tag, asset: asset.name, state: asset.state, size: asset.size },
    },
  );
}

async function vouchedDigest(
  asset: GithubAsset,
  source: Source,
): Promise<{ digest: Digest | undefined; trust: TrustSource }> {
  const { repo, release, vouchers } = source;
  const published = asset.digest === null ? undefined : parseDigest(asset.digest);
  if (asset.digest !== null && published === undefined) {
    throw new FerryError(
      "UPSTREAM_MALFORMED",
      `${asset.name} of ${repo} ${release.tag_name} has a digest of unknown form: ${asset.digest}`,
    );
  }
  const stated = vouchers.spec?.[asset.name];
  const pinned = stated === undefined ? undefined : parseDigest(`sha256:${stated}`);
  if (pinned !== undefined && published !== undefined && pinned !== published) {
    throw new FerryError(
      "ASSET_REPLACED",
      `${asset.name} of ${repo} ${release.tag_name}: the spec says ${shortDigest(pinned)}…, GitHub publishes ${shortDigest(published)}…`,
      {
        hint: "Find out which one is right before you carry it; then correct sha256 in the spec.",
        details: { spec: pinned, upstream: published, updatedAt: asset.updated_at },
      },
    );
  }
  if (published !== undefined) return { digest: published, trust: "github" };
  if (pinned !== undefined) return { digest: pinned, trust: "spec" };
  const listed = await fromChecksumFile(asset, source);
  if (listed !== undefined) return { digest: listed, trust: "checksum-file" };
  if (vouchers.unverified?.includes(asset.name) === true) return { digest: undefined, trust: "computed" };
  throw new FerryError(
    "UPSTREAM_NO_CHECKSUM",
    `${repo} ${release.tag_name} publishes no checksum for ${asset.name}`,
    {
      hint: "State its digest under sha256 in the spec, name the release's checksum file under checksums, or allow it by name under unverified.",
      details: { repo, tag: release.tag_name, asset: asset.name },
    },
  );
}

async function fromChecksumFile(asset: GithubAsset, source: Source): Promise<Digest | undefined> {
  const { releases, repo, release, vouchers } = source;
  if (vouchers.checksums === undefined) return undefined;
  const name = vouchers.checksums.replaceAll("{asset}", asset.name);
  const file = release.assets.find((candidate) => candidate.name === name);
  if (file === undefined || file.name === asset.name) return undefined;
  const text = await releases.text(repo, release.tag_name, name);
  return parseChecksums(text, vouchers.checksums.includes("{asset}") ? asset.name : undefined).get(
    asset.name,
  );
}
