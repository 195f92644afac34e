import type { PracticeAsset } from "./asset.ts";
import type { Repository } from "./catalog.ts";
import { downloadUrl } from "./download-host.ts";
import type { AssetView, Bases } from "./exchange.ts";
import type { PracticeRelease } from "./release.ts";

export type ViewOf = (asset: PracticeAsset) => AssetView | undefined;

/** A release as the REST API shows it, with every field that its schema requires. */
export function releaseJson(
  bases: Bases,
  repository: Repository,
  release: PracticeRelease,
  view: ViewOf,
): object {
  const self = `${bases.api}/repos/${repository.name}/releases/${release.id}`;
  const tag = encodeURIComponent(release.tag);
  return {
    url: self,
    assets_url: `${self}/assets`,
    upload_url: `${self}/assets{?name,label}`,
    html_url: `${bases.github}/${repository.name}/releases/tag/${tag}`,
    id: release.id,
    author: user(bases, "practice-releaser"),
    node_id: nodeId("RE", release.id),
    tag_name: release.tag,
    target_commitish: "main",
    name: release.tag,
    draft: release.draft,
    immutable: false,
    prerelease: release.prerelease,
    created_at: release.createdAt,
    updated_at: release.publishedAt,
    published_at: release.draft ? null : release.publishedAt,
    assets: assetsJson(bases, repository, release, view),
    tarball_url: `${bases.api}/repos/${repository.name}/tarball/${tag}`,
    zipball_url: `${bases.api}/repos/${repository.name}/zipball/${tag}`,
    body: `Practice release ${release.tag} of ${repository.name}.`,
  };
}

/** All assets that the view shows, in the order of the release. */
export function assetsJson(
  bases: Bases,
  repository: Repository,
  release: PracticeRelease,
  view: ViewOf,
): object[] {
  return release.assets.flatMap((asset) => {
    const shown = view(asset);
    return shown === undefined ? [] : [assetJson(bases, repository, release, asset, shown)];
  });
}

export function assetJson(
  bases: Bases,
  repository: Repository,
  release: PracticeRelease,
  asset: PracticeAsset,
  shown: AssetView,
): object {
  return {
    url: `${bases.api}/repos/${repository.name}/releases/assets/${asset.id}`,
    id: asset.id,
    node_id: nodeId("RA", asset.id),
    name: asset.name,
    label: "",
    uploader: user(bases, "practice-uploader"),
    content_type: asset.contentType,
    state: shown.state,
    size: shown.size,
    digest: shown.digest,
    download_count: 0,
    created_at: asset.createdAt,
    updated_at: asset.updatedAt,
    browser_download_url: downloadUrl(bases, repository.name, release.tag, asset.name),
  };
}

function user(bases: Bases, login: string): object {
  return {
    login,
    id: 41,
    node_id: nodeId("U", 41),
    avatar_url: `${bases.github}/avatars/41`,
    gravatar_id: "",
    url: `${bases.api}/users/${login}`,
    html_url: `${bases.github}/${login}`,
    type: "Bot",
    site_admin: false,
  };
}

function nodeId(kind: string, id: number): string {
  return `${kind}_${Buffer.from(String(id)).toString("base64url")}`;
}
