import type { BundleDocument } from "../../src/bundle/document.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { Recipe } from "../../src/recipe/schema.ts";
import { releaseAssetPath } from "../../src/wire/github.ts";
import { plainRecipe } from "./recipes.ts";

/** Text that wants out of content, of an attribute in either kind of quote, of a script and of a style. */
const OUT = `"'></td></code></style></script><script>parent.taken=1</script><img src=x onerror=taken=1>`;

/** A document whose every free text tries to become markup. It passes the schema: text is all that it promises. */
export function hostileDocument(): Omit<BundleDocument, "spec" | "formatVersion"> {
  const repo = `evil${OUT.replaceAll("/", "!")}/repo`;
  const tag = `v1${OUT.replaceAll("/", "!")}`;
  const name = `file${OUT.replaceAll("/", "!")}.tar.gz`;
  const digest = digestOf(name);
  const path = releaseAssetPath(repo, tag, name);
  const engine = `engine${OUT}`;
  const times = { createdAt: OUT, publishedAt: OUT };
  const packages = { deb: [OUT], rpm: [OUT] };
  return {
    name: "hostile",
    counter: 1,
    created: OUT,
    recipes: [{ engine, recipe: Recipe.parse({ ...plainRecipe(), label: `Label${OUT}` }) }],
    builds: [
      {
        engine,
        version: `version${OUT}`,
        arch: "amd64",
        variant: `variant${OUT}`,
        build: { variant: OUT, binary: OUT, cpuFlags: [OUT], packages, python: OUT },
        needs: { nvidia: true, driver: OUT },
        files: [path],
      },
    ],
    files: [{ path, digest, size: 3, url: `javascript:${OUT}`, updatedAt: OUT, trust: "computed" }],
    releases: [
      {
        repo,
        id: 1,
        nodeId: OUT,
        tag,
        name: `Title${OUT}`,
        targetCommitish: OUT,
        prerelease: true,
        immutable: true,
        ...times,
        assets: [
          {
            id: 2,
            nodeId: OUT,
            name,
            label: OUT,
            contentType: OUT,
            size: 3,
            digest,
            createdAt: OUT,
            updatedAt: OUT,
          },
        ],
      },
    ],
    missing: [
      {
        engine,
        version: `version${OUT}`,
        arch: "arm64",
        variant: OUT,
        assets: [OUT],
        reason: `Reason${OUT}`,
      },
    ],
  };
}

/** What a request may leave in the list of what was asked for. */
export const HOSTILE_PATH = `evil/repo/releases/download/v1/${OUT.replaceAll("/", "!")}`;
