import type { CarriedRelease } from "../src/bundle/document.ts";
import { encodePath, releaseAssetPath } from "../src/wire/github.ts";
import type { CarriedAsset, CatalogRepo } from "./catalog-releases.ts";

/** Where the answers of the release API point: the mirror's address, and the API below it as the client asked. */
export interface ApiBase {
  /** `https://mirror.example` */
  base: string;
  /** `https://mirror.example/api/v3`, or the same as `base`. */
  api: string;
}

/**
 * A release as GitHub's REST API shows it (schema `release`), with every address of this mirror. Upstream's own words
 * are kept; `name` falls back on the tag, because installers refuse a release without one.
 */
export function releaseJson(
  release: CarriedRelease,
  { repo }: CatalogRepo,
  at: ApiBase,
  archive: boolean,
): unknown {
  const self = `${at.api}/repos/${repo}/releases/${release.id}`;
  return {
    url: self,
    assets_url: `${self}/assets`,
    upload_url: `${self}/assets{?name,label}`,
    html_url: `${at.base}/${repo}/releases/tag/${encodePath(release.tag)}`,
    id: release.id,
    author: ownerJson(repo, at),
    node_id: release.nodeId,
    tag_name: release.tag,
    target_commitish: release.targetCommitish,
    name: release.name ?? release.tag,
    draft: false,
    immutable: release.immutable,
    prerelease: release.prerelease,
    created_at: release.createdAt,
    updated_at: release.publishedAt,
    published_at: release.publishedAt,
    assets: release.assets.map((asset) => assetJson(asset, release, repo, at)),
    tarball_url: archive ? `${at.base}/${encodePath(sourceArchivePath(repo, release.tag))}` : null,
    zipball_url: null,
    body: null,
  };
}

/** An asset as GitHub's REST API shows it (schema `release-asset`). */
export function assetJson(asset: CarriedAsset, { tag }: CarriedRelease, repo: string, at: ApiBase): unknown {
  return {
    url: `${at.api}/repos/${repo}/releases/assets/${asset.id}`,
    id: asset.id,
    node_id: asset.nodeId,
    name: asset.name,
    label: asset.label,
    uploader: null,
    content_type: asset.contentType,
    state: "uploaded",
    size: asset.size,
    digest: asset.digest,
    download_count: 0,
    created_at: asset.createdAt,
    updated_at: asset.updatedAt,
    browser_download_url: `${at.base}/${encodePath(releaseAssetPath(repo, tag, asset.name))}`,
  };
}

/** Mirror path of the source archive of a tag. */
export function sourceArchivePath(repo: string, tag: string): string {
  return `${repo}/archive/refs/tags/${tag}.tar.gz`;
}

/** The schema wants an author; bundles do not carry who pressed the button, so it is the repository's owner. */
function ownerJson(repo: string, { base, api }: ApiBase): unknown {
  const owner = repo.slice(0, repo.indexOf("/"));
  return {
    login: owner,
    id: 0,
    node_id: "",
    url: `${api}/users/${owner}`,
    html_url: `${base}/${owner}`,
    type: "Organization",
    site_admin: false,
  };
}
