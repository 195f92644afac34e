import type { CarriedRelease } from "../src/bundle/document.ts";
import { hexOf } from "../src/lib/digest.ts";
import { encodePath, releaseAssetPath } from "../src/wire/github.ts";
import type { CatalogRepo } from "./catalog-releases.ts";

interface Version {
  version: string;
  date: string;
  artifacts: { platform: string; variant: string; url: string; archive_format: string; sha256: string }[];
}

interface Parsed {
  version: string;
  platform: string;
  variant: string;
}

const ARCHIVE = /\.(tar\.gz|tar\.zst|zip)$/;

/**
 * The version list that uv and setup-uv read (`/github/versions/main/v1/TOOL.ndjson` of `UV_ASTRAL_MIRROR_URL`), made of
 * the carried releases: one JSON object a line, newest first, prereleases left out. Shape: astral-sh/versions.
 */
export function uvVersions(repo: CatalogRepo, tool: string, base: string): string {
  const versions = repo.releases
    .filter(({ prerelease }) => !prerelease)
    .flatMap((release) => versionsOf(release, repo, tool, base));
  return versions.map((version) => `${JSON.stringify(version)}\n`).join("");
}

function versionsOf(release: CarriedRelease, { repo }: CatalogRepo, tool: string, base: string): Version[] {
  const versions = new Map<string, Version>();
  for (const { name, digest } of release.assets) {
    const format = ARCHIVE.exec(name)?.[1];
    if (format === undefined) continue;
    const stem = name.slice(0, -format.length - 1);
    const parsed =
      tool === "python-build-standalone" ? parsePython(stem) : parseTool(stem, tool, release.tag);
    if (parsed === undefined) continue;
    const known = versions.get(parsed.version) ?? {
      version: parsed.version,
      date: release.publishedAt,
      artifacts: [],
    };
    versions.set(parsed.version, known);
    known.artifacts.push({
      platform: parsed.platform,
      variant: parsed.variant,
      url: `${base}/${encodePath(releaseAssetPath(repo, release.tag, name))}`,
      archive_format: format,
      sha256: hexOf(digest),
    });
  }
  return [...versions.values()].sort((a, b) => (a.version < b.version ? 1 : -1));
}

/** `uv-x86_64-unknown-linux-gnu` */
function parseTool(stem: string, tool: string, tag: string): Parsed | undefined {
  if (!stem.startsWith(`${tool}-`)) return undefined;
  return { version: tag, platform: stem.slice(tool.length + 1), variant: "default" };
}

const PYTHON = /^cpython-(\d+\.\d+\.\d+[a-z0-9]*\+\d+)-(.+)$/;

/** `cpython-3.12.15+20261003-x86_64-unknown-linux-gnu-install_only`: a triple of four parts (Apple's has three), then the build. */
function parsePython(stem: string): Parsed | undefined {
  const [, version, rest] = PYTHON.exec(stem) ?? [];
  if (version === undefined || rest === undefined) return undefined;
  const parts = rest.split("-");
  const length = parts[1] === "apple" ? 3 : 4;
  return { version, platform: parts.slice(0, length).join("-"), variant: parts.slice(length).join("+") };
}
