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

/** What the page at `/` shows of the catalog alone. Times are ISO 8601, sizes bytes. */
export interface CatalogModel {
  /** The mirror's own address. */
  base: string;
  totals: { files: number; blobs: number; bytes: number };
  engines: EngineModel[];
  repos: RepoModel[];
  bundles: BundleModel[];
  gaps: GapModel[];
  tools: ToolModel[];
}

/** Everything that the page at `/` shows. */
export interface HomeModel extends CatalogModel {
  /** Whether the mirror asks for a token or password. */
  guarded: boolean;
  notices: Notice[];
  asked: AskedModel;
}

/** What changes without a new catalog. */
export interface HomeState {
  guarded: boolean;
  problem: CatalogProblem | undefined;
  asked: readonly Asked[];
}

const RELEASES_SHOWN = 6;

export function catalogModel(catalog: Catalog, base: string): CatalogModel {
  return {
    base,
    totals: { files: catalog.files, blobs: catalog.blobs, bytes: catalog.bytes },
    engines: enginesModel(catalog, base),
    repos: reposModel(catalog, base, RELEASES_SHOWN),
    bundles: bundlesModel(catalog, base),
    gaps: gapsModel(catalog),
    tools: toolsModel(catalog, base),
  };
}

export function homeModel(
  catalog: Catalog,
  base: string,
  { guarded, problem, asked }: HomeState,
  known: CatalogModel = catalogModel(catalog, base),
): HomeModel {
  return {
    ...known,
    guarded,
    notices: noticesOf(known.bundles, problem),
    asked: askedModel(asked, catalog),
  };
}
