import { readFileSync } from "node:fs";
import { z } from "zod";
import { hexOf } from "../../../src/lib/digest.ts";
import { bytesContent, type Content, deferredContent, lazyContent } from "./content.ts";
import { practiceContent } from "./practice-content.ts";
import type { ReleaseSeed } from "./release.ts";

const Fixture = z.strictObject({
  releases: z.array(
    z.strictObject({
      repo: z.string(),
      tag: z.string(),
      published_at: z.string().nullable(),
      prerelease: z.boolean(),
      note: z.string().optional(),
      assets: z.array(
        z.strictObject({
          name: z.string(),
          size: z.number().nullable(),
          sizeExact: z.boolean(),
          digest: z.string().nullable(),
        }),
      ),
    }),
  ),
});
type FixtureRelease = z.infer<typeof Fixture>["releases"][number];
type FixtureAsset = FixtureRelease["assets"][number];

export interface FixtureOptions {
  /** Real sizes are divided by this; default 1000. No asset is smaller than 300 bytes. */
  scale?: number;
}

const SMALLEST = 300;
/** Bytes of assets whose real size is not recorded. */
const UNRECORDED = 20_000_000;

/**
 * The real releases of `test/fixtures/releases.json` (names, order, dates, prerelease flags) with practice bytes. Where
 * a publication date is not recorded, one is made up that keeps the file's order.
 */
export function releasesFromFixture({ scale = 1000 }: FixtureOptions = {}): ReleaseSeed[] {
  if (!(scale >= 1)) throw new Error(`a scale must be 1 or more, not ${scale}`);
  const text = readFileSync(new URL("../../fixtures/releases.json", import.meta.url), "utf8");
  const { releases } = Fixture.parse(JSON.parse(text));
  return releases.map((release, index) => ({
    repo: release.repo,
    tag: release.tag,
    publishedAt: release.published_at ?? new Date(Date.UTC(2026, 0, 10 + index * 10)).toISOString(),
    prerelease: release.prerelease,
    assets: assetsOf(release, releases, scale),
  }));
}

function assetsOf(
  release: FixtureRelease,
  all: readonly FixtureRelease[],
  scale: number,
): ReleaseSeed["assets"] {
  const contents = new Map<string, Content>();
  for (const asset of release.assets) {
    contents.set(asset.name, contentOf(release, asset, contents, all, scale));
  }
  return [...contents].map(([name, content]) => ({ name, content }));
}

function contentOf(
  release: FixtureRelease,
  asset: FixtureAsset,
  siblings: ReadonlyMap<string, Content>,
  all: readonly FixtureRelease[],
  scale: number,
): Content {
  const { name } = asset;
  if (name === "nightly-tag.txt") return bytesContent(`${newestBuildBefore(release, all)}\n`);
  if (name.endsWith(".sha256")) {
    return deferredContent(() => sidecar(name.slice(0, -".sha256".length), siblings));
  }
  if (name === "sha256.sum" || name === "SHA256SUMS") {
    return lazyContent(`${release.repo}/${release.tag}/${name}/${scale}`, () => checksumFile(siblings));
  }
  const size = Math.max(SMALLEST, Math.round((asset.size ?? UNRECORDED) / scale));
  return practiceContent({ repo: release.repo, tag: release.tag, name, size });
}

/** `<hex>  <name>` and a newline, as beside each of uv's archives; the one of the source archive is a byte longer. */
function sidecar(target: string, siblings: ReadonlyMap<string, Content>): Content {
  const content = siblings.get(target);
  if (content === undefined) {
    throw new Error(`the fixture has a checksum of ${target} but no such asset before it`);
  }
  return bytesContent(`${hexOf(content.digest)}  ${target}\n${target === "source.tar.gz" ? "\n" : ""}`);
}

/** One line an archive: everything that is no checksum itself and no installer. */
function checksumFile(siblings: ReadonlyMap<string, Content>): string {
  return [...siblings]
    .filter(([name]) => /\.(tar\.gz|tar\.zst|zip)$/.test(name))
    .map(([name, content]) => `${hexOf(content.digest)}  ${name}\n`)
    .join("");
}

/** What a v0.x release of llama.cpp points at: the newest numbered build before it that holds anything. */
function newestBuildBefore(release: FixtureRelease, all: readonly FixtureRelease[]): string {
  const builds = all
    .filter((other) => other.repo === release.repo && /^b\d+$/.test(other.tag) && other.assets.length > 10)
    .filter((other) => (other.published_at ?? "") <= (release.published_at ?? ""))
    .sort((a, b) => ((a.published_at ?? "") < (b.published_at ?? "") ? 1 : -1));
  const [newest] = builds;
  if (newest === undefined) throw new Error(`no build was published before ${release.tag}`);
  return newest.tag;
}
