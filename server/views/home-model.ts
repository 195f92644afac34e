import type { Asked } from "../asked-ring.ts";
import type { Catalog } from "../catalog.ts";
import type { CatalogProblem } from "../catalog-watch.ts";
import { type AskedModel, askedModel } from "./asked-model.ts";
import { type BundleModel, bundlesModel } from "./bundles-model.ts";
import { type EngineModel, enginesModel } from "./engines-model.ts";
import { type GapModel, gapsModel } from "./gaps-model.ts";
import { type Notice, noticesOf } from "./notices.ts";
import { type PythonModel, pythonModel } from "./python-model.ts";
import { type RepoModel, reposModel } from "./repos-model.ts";
import type { Site } from "./site.ts";
import { type ToolModel, toolsModel } from "./tools-model.ts";

/** What the page at `/` shows of the catalog alone. Times are ISO 8601, sizes bytes. */
export interface CatalogModel {
  site: Site;
  totals: { files: number; blobs: number; bytes: number };
  engines: EngineModel[];
  repos: RepoModel[];
  bundles: BundleModel[];
  gaps: GapModel[];
  tools: ToolModel[];
  /** undefined where no bundle has anything to do with Python. */
  python: PythonModel | undefined;
}

/** Everything that the page at `/` shows. */
export interface HomeModel extends CatalogModel {
  notices: Notice[];
  asked: AskedModel;
}

/** What changes without a new catalog. */
export interface HomeState {
  problem: CatalogProblem | undefined;
  asked: readonly Asked[];
}

const RELEASES_SHOWN = 6;

export function catalogModel(catalog: Catalog, site: Site): CatalogModel {
  const { base } = site;
  return {
    site,
    totals: { files: catalog.files, blobs: catalog.blobs, bytes: catalog.bytes },
    engines: enginesModel(catalog, site),
    repos: reposModel(catalog, base, RELEASES_SHOWN),
    bundles: bundlesModel(catalog, base),
    gaps: gapsModel(catalog),
    tools: toolsModel(catalog, base),
    python: pythonModel(catalog, site),
  };
}

export function homeModel(catalog: Catalog, known: CatalogModel, { problem, asked }: HomeState): HomeModel {
  return {
    ...known,
    notices: noticesOf(known.bundles, problem),
    asked: askedModel(asked, catalog),
  };
}
