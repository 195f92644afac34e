import { readFile } from "node:fs/promises";
import { join } from "node:path";

interface Fixture {
  releases: { repo: string; tag: string; assets: { name: string }[] }[];
}

const fixture = JSON.parse(
  await readFile(join(import.meta.dirname, "../fixtures/releases.json"), "utf8"),
) as Fixture;

/** Asset names of a real release, in the API's order. */
export function assetNamesOf(repo: string, tag: string): string[] {
  const release = fixture.releases.find((one) => one.repo === repo && one.tag === tag);
  if (release === undefined) throw new Error(`test/fixtures/releases.json has no ${repo} ${tag}`);
  return release.assets.map((asset) => asset.name);
}
