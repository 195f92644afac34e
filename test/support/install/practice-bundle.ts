import type { BundleDocument, CarriedBuild } from "../../../src/bundle/document.ts";
import type { Arch } from "../../../src/bundle/document-values.ts";
import { offers, selectVariants } from "../../../src/recipe/query.ts";
import { Recipe } from "../../../src/recipe/schema.ts";
import { tableOf } from "../../../src/recipe/table.ts";
import { releaseAssetPath } from "../../../src/wire/github.ts";
import { cudartArchive, llamaArchive } from "../archives/llamacpp.ts";
import { builtinTable } from "../recipes.ts";
import type { TestBundle, TestRelease } from "../served-store.ts";

export const REPO = "ggml-org/llama.cpp";

const builtin = (await builtinTable()).recipe("llamacpp");
/** llama.cpp's own recipe, without what this machine's processor may lack. */
export const llamaRecipe: Recipe = Recipe.parse({
  ...builtin,
  defaults: { ...builtin.defaults, cpuFlags: undefined },
});

export interface PracticeOptions {
  name?: string;
  counter?: number;
  /** Default b11347. */
  tags?: readonly string[];
  /** Default amd64. */
  archs?: readonly Arch[];
  /** Words of a spec; default: every variant. */
  variants?: readonly string[];
  /** Archives in place of the practice ones, by asset name. */
  archives?: Readonly<Record<string, Buffer>>;
  /** Default `llamaRecipe`. */
  recipe?: Recipe;
  /** Parts of the document. */
  document?: Partial<BundleDocument>;
}

/** A bundle of practice llama.cpp builds as `ferry build` would have written it: `llama-server` is a shell script. */
export function practiceBundle(options: PracticeOptions = {}): TestBundle {
  const { name = "site-a", counter = 1, tags = ["b11347"], recipe = llamaRecipe, archives = {} } = options;
  const builds = tags.flatMap((tag) => carriedBuilds(tag, { ...options, recipe }));
  const releases = tags.map((tag): TestRelease => {
    const assets = builds.filter(({ version }) => version === tag).flatMap(({ build }) => build.assets ?? []);
    const contents = assets.map((asset) => [asset, archives[asset] ?? practiceAsset(tag, asset)]);
    return {
      repo: REPO,
      tag,
      assets: Object.fromEntries(contents) as TestRelease["assets"],
      prerelease: true,
    };
  });
  return {
    name,
    counter,
    releases,
    document: { recipes: [{ engine: "llamacpp", recipe }], builds, ...options.document },
  };
}

function carriedBuilds(
  tag: string,
  { archs = ["amd64"], variants, recipe }: PracticeOptions & { recipe: Recipe },
): CarriedBuild[] {
  const table = tableOf([{ engine: "llamacpp", recipe, origin: "test", overlay: false }]);
  const names = archs.flatMap((arch) => assetNamesOf(tag, arch));
  return archs.flatMap((arch) => {
    const all = offers(table, { engine: "llamacpp", version: tag, arch }, names);
    return selectVariants(all, variants).map(({ build, needs }) => ({
      engine: "llamacpp",
      version: tag,
      arch,
      variant: build.variant,
      build,
      needs,
      files: (build.assets ?? []).map((asset) => releaseAssetPath(REPO, tag, asset)),
    }));
  });
}

function assetNamesOf(tag: string, arch: Arch): string[] {
  const word = arch === "amd64" ? "x64" : "arm64";
  const cudas = arch === "amd64" ? ["13.4", "12.8"] : ["13.4"];
  return [
    `llama-${tag}-bin-ubuntu-${word}.tar.gz`,
    `llama-${tag}-bin-ubuntu-vulkan-${word}.tar.gz`,
    ...cudas.flatMap((cuda) => [
      `llama-${tag}-bin-ubuntu-cuda-${cuda}-${word}.tar.gz`,
      `cudart-llama-${tag}-bin-ubuntu-cuda-${cuda}-${word}.tar.gz`,
    ]),
  ];
}

/** The practice archive of this name. */
export function practiceAsset(tag: string, asset: string): Buffer {
  if (asset.startsWith("cudart-")) return cudartArchive(asset, 60_000);
  const target = /-bin-(.*)\.tar\.gz$/.exec(asset)?.[1] ?? "";
  return llamaArchive({ tag, target, size: 60_000 });
}
