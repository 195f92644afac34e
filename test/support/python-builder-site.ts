import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { digestOf, hexOf } from "../../src/lib/digest.ts";
import { type PythonIndex, pythonIndex } from "./python-index/python-index.ts";
import {
  fakeInterpreter,
  interpreterRelease,
  interpreterTable,
  pythonFolder,
  uvRelease,
} from "./python-upstream.ts";
import { realUv } from "./real-uv.ts";
import { type Site, site } from "./site.ts";
import type { ReleaseSeed } from "./upstream/release.ts";

export interface PythonBuilderSite extends Site {
  index: PythonIndex;
  /** Path of the real uv. */
  uv: string;
}

export interface PythonBuilderOptions {
  /** Recipes of the overlay, by engine id; default: `toolbox`, see `TOOLBOX`. */
  recipes?: Readonly<Record<string, string>>;
  releases?: readonly ReleaseSeed[];
  /** The interpreter's archive and version; default: an archive that uv takes for one, and 3.12.99. */
  interpreter?: { archive: Buffer; full: string };
  /** The digest that uv's table has for it, where it is another one. */
  interpreterDigest?: string;
  sources?: readonly { repo: string; tag: string; bytes?: Uint8Array }[];
  /** The practice release of uv holds the real program: only where a test unpacks it, for it is large. */
  carriesRealUv?: boolean;
}

/** A small engine on the index alone: `toolbox`, with one build for every machine. */
export const TOOLBOX = `label: Toolbox
pypi: toolbox
versions: { pattern: '^[0-9]+(\\.[0-9]+)*$', ordering: pep440, example: "1.0" }
arch: { amd64: x86_64, arm64: aarch64 }
builds:
  - variant: cpu
    binary: toolbox
    python: "3.12"
    requirements: ["toolbox=={version}"]
`;

/**
 * A builder's site whose upstream also has uv, an interpreter that uv is told of, and a package index. The command line gets
 * FERRY_UV, so that no test unpacks uv unless it takes that out of `env`.
 */
export async function pythonBuilderSite(options: PythonBuilderOptions = {}): Promise<PythonBuilderSite> {
  const uv = await realUv();
  const index = await pythonIndex();
  const { archive, full } = options.interpreter ?? { archive: fakeInterpreter(), full: "3.12.99" };
  const binary = options.carriesRealUv === true ? await readFile(uv) : Buffer.from("uv\n");
  const made = await site({
    releases: [uvRelease(binary), interpreterRelease(archive, full), ...(options.releases ?? [])],
    ...(options.sources === undefined ? {} : { sources: options.sources }),
  });
  const { at, env } = made;
  await mkdir(at("overlay"));
  for (const [engine, text] of Object.entries(options.recipes ?? { toolbox: TOOLBOX })) {
    await writeFile(join(at("overlay"), `${engine}.yaml`), text);
  }
  const sha256 = options.interpreterDigest ?? hexOf(digestOf(archive));
  await writeFile(at("downloads.json"), JSON.stringify(interpreterTable(sha256, full)));
  Object.assign(env, {
    FERRY_RECIPES: at("overlay"),
    FERRY_UV: uv,
    FERRY_TORCH_INDEX_URL: index.whl,
    UV_DEFAULT_INDEX: index.simple,
    UV_PYTHON_DOWNLOADS_JSON_URL: at("downloads.json"),
    PATH: `${pythonFolder()}:/usr/bin:/bin`,
  });
  return { ...made, index, uv };
}
