import type { Asked } from "../asked-ring.ts";
import type { Catalog } from "../catalog.ts";
import type { CatalogProblem } from "../catalog-watch.ts";
import { type AskedModel, askedModel } from "./asked-model.ts";
import { type BundleModel, bundlesModel } from "./bundles-model.ts";
import { type EngineModel, enginesModel } from "./engines-model.ts";
import { type GapModel, gapsModel } from "./gaps-model.ts";
import { type Notice, noticesOf } from "./notices.ts";
import { type RepoModel, reposModel } from "./repos-model.ts";
import { type ToolModel, toolsModel } from "./tools-model.ts";

/** Everything that the page at `/` shows. Times are ISO 8601, sizes bytes. */
export interface HomeModel {
  /** The mirror's own address. */
  base: string;
  /** Whether the mirror asks for a token or password. */
  guarded: boolean;
  totals: { files: number; blobs: number; bytes: number };
  notices: Notice[];
  engines: EngineModel[];
  repos: RepoModel[];
  bundles: BundleModel[];
  gaps: GapModel[];
  tools: ToolModel[];
  asked: AskedModel;
}

export interface HomeParts {
  catalog: Catalog;
  base: string;
  guarded: boolean;
  problem: CatalogProblem | undefined;
  asked: readonly Asked[];
}

const RELEASES_SHOWN = 6;

export function homeModel({ catalog, base, guarded, problem, asked }: HomeParts): HomeModel {
  const bundles = bundlesModel(catalog, base);
  return {
    base,
    guarded,
    totals: { files: catalog.files, blobs: catalog.blobs, bytes: catalog.bytes },
    notices: noticesOf(bundles, problem),
    engines: enginesModel(catalog, base),
    repos: reposModel(catalog, base, RELEASES_SHOWN),
    bundles,
    gaps: gapsModel(catalog),
    tools: toolsModel(catalog, base),
    asked: askedModel(asked, catalog),
  };
}
