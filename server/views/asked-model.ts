import type { Asked } from "../asked-ring.ts";
import type { Catalog } from "../catalog.ts";
import type { PathClass } from "../path-class.ts";
import { nextSpec } from "./next-spec.ts";

/** What was asked for lately and is not here. */
export interface AskedModel {
  /** Most recent first. */
  rows: { path: string; what: string; times: number /** ISO 8601 */; last: string }[];
  /** Lines for the spec of the next bundle. */
  spec: string | undefined;
}

const WHAT: Readonly<Record<PathClass, string>> = {
  "release-asset": "file of a release",
  "source-archive": "source archive",
  "release-api": "release, by the API",
  "uv-versions": "uv's list of versions",
  python: "Python index",
  mirror: "install or metadata",
  other: "other",
};

export function askedModel(recent: readonly Asked[], catalog: Catalog): AskedModel {
  return {
    rows: recent.map((asked) => ({
      path: `/${asked.path}`,
      what: WHAT[asked.class],
      times: asked.times,
      last: new Date(asked.last).toISOString(),
    })),
    spec: nextSpec(recent, catalog),
  };
}
