import type { Digest } from "../lib/digest.ts";
import { releaseAssetPath } from "../wire/github.ts";
import { buildName } from "./build-name.ts";
import { checkPython } from "./check-document-python.ts";
import type { BundleDocument, CarriedBuild, CarriedRelease } from "./document.ts";

/**
 * What contradicts itself in a document, as sentences; empty where nothing does. Asked before a document is signed, and
 * again when one is read: a signature says who wrote it, not that it makes sense.
 */
export function checkDocument(document: BundleDocument): string[] {
  const files = new Map<string, { digest: Digest; size: number }>(
    document.files.map((file) => [foldRepo(file.path), file]),
  );
  const paths = new Set(document.files.map(({ path }) => path));
  return [
    ...repeated(document.files.map(({ path }) => foldRepo(path))).map(
      (path) => `the file ${path} is listed twice`,
    ),
    ...contradictingSizes(document),
    ...checkBuilds(document.builds, paths, new Set(document.recipes.map(({ engine }) => engine))),
    ...repeated(document.recipes.map(({ engine }) => engine)).map(
      (engine) => `the recipe ${engine} is listed twice`,
    ),
    ...checkReleases(document.releases, files),
    ...checkPython(document),
    ...document.files
      .filter(({ path }) => hidesRoute(path))
      .map(({ path }) => `the file ${path} would hide an answer of the mirror's own`),
  ];
}

/** First parts of the mirror's own addresses. */
const OWN = new Set(
  "api github graphql healthz install.sh metrics pypi python-downloads.json rate_limit readyz repos simple v1".split(
    " ",
  ),
);

/** Whether a mirror has an answer of its own at a path: GitHub's owners may be called as they like, other files may not. */
function hidesRoute(path: string): boolean {
  const [first = "", , third, fourth] = path.split("/");
  const released = (third === "releases" && fourth === "download") || third === "archive";
  if (first === "whl") return !/^whl\/[^/]+\/[^/]+\.whl(\.metadata)?$/.test(path);
  return OWN.has(first) && !released;
}

/** GitHub tells owners and repositories apart without regard to case, and so does the mirror. */
function foldRepo(path: string): string {
  const [owner = "", repo = "", ...rest] = path.split("/");
  return [owner.toLowerCase(), repo.toLowerCase(), ...rest].join("/");
}

type Files = ReadonlyMap<string, { digest: Digest; size: number }>;

function contradictingSizes(document: BundleDocument): string[] {
  const sizes = new Map<Digest, number>();
  const problems: string[] = [];
  for (const { path, digest, size } of document.files) {
    const known = sizes.get(digest);
    if (known !== undefined && known !== size) {
      problems.push(`${path} gives ${digest} a second size (${known}, ${size})`);
    }
    sizes.set(digest, size);
  }
  return problems;
}

function checkBuilds(
  builds: readonly CarriedBuild[],
  paths: ReadonlySet<string>,
  recipes: ReadonlySet<string>,
): string[] {
  const problems = repeated(builds.map(buildName)).map((name) => `the build ${name} is listed twice`);
  for (const build of builds) {
    const name = buildName(build);
    if (!recipes.has(build.engine)) problems.push(`the build ${name} has no recipe in the document`);
    for (const path of build.files) {
      if (!paths.has(path)) problems.push(`the build ${name} needs ${path}, which is not among the files`);
    }
  }
  return problems;
}

function checkReleases(releases: readonly CarriedRelease[], files: Files): string[] {
  const problems = repeated(releases.map(({ repo, tag }) => `${repo} ${tag}`)).map(
    (name) => `the release ${name} is listed twice`,
  );
  for (const { repo, tag, assets } of releases) {
    for (const asset of assets) {
      const path = releaseAssetPath(repo, tag, asset.name);
      const file = files.get(foldRepo(path));
      if (file === undefined) {
        problems.push(`the release ${repo} ${tag} lists ${asset.name}, which is not among the files`);
      } else if (file.digest !== asset.digest || file.size !== asset.size) {
        problems.push(
          `the release ${repo} ${tag} and the files disagree about the digest or size of ${asset.name}`,
        );
      }
    }
    problems.push(
      ...repeated(assets.map(({ name }) => name)).map(
        (name) => `the release ${repo} ${tag} lists ${name} twice`,
      ),
    );
  }
  return problems;
}

function repeated(names: readonly string[]): string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) twice.add(name);
    seen.add(name);
  }
  return [...twice];
}
