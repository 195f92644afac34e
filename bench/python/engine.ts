import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { digestOf, hexOf } from "../../src/lib/digest.ts";
import {
  interpreterRelease,
  interpreterTable,
  pythonFolder,
  uvRelease,
} from "../../test/support/python-upstream.ts";
import { realIndexSettings } from "../../test/support/real-index.ts";
import { realInterpreter } from "../../test/support/real-interpreter.ts";
import { realUv } from "../../test/support/real-uv.ts";
import { startUpstream } from "../../test/support/upstream/upstream.ts";
import { shell } from "../build/command.ts";
import type { Workspace } from "../build/workspace.ts";

/** A command line tool in Python with some twenty dependencies, of which two are compiled. */
export const ENGINE = { project: "httpie", version: "3.2.4", program: "http" } as const;
const ARCH = process.arch === "arm64" ? "arm64" : "amd64";
/** Path of its lock on a mirror. */
export const LOCK_PATH = `/v1/locks/${ENGINE.project}/${ENGINE.version}/${ARCH}/cpu/pylock.toml`;

const recipe = (python: string): string => `label: HTTPie
pypi: ${ENGINE.project}
versions: { pattern: '^[0-9]+(\\.[0-9]+)*$', ordering: pep440, example: ${ENGINE.version} }
arch: { amd64: x86_64, arm64: aarch64 }
builds:
  - variant: cpu
    binary: ${ENGINE.program}
    python: "${python}"
    requirements: ["${ENGINE.project}=={version}"]
`;
const SPEC = `name: bench\nengines:\n  - { engine: ${ENGINE.project}, versions: [${ENGINE.version}], arch: [${ARCH}] }\n`;

export interface CarriedEngine {
  /** Folder of the mirror's store. */
  store: string;
  /** Path of the real uv. */
  uv: string;
  /** `3.12`: what environments are made with. */
  python: string;
}

/**
 * The small real engine on a mirror, carried there by the installed program: resolved by the real uv against the index that
 * this machine reaches. uv and the interpreter come from a practice release, since nothing here unpacks them.
 */
export async function carryEngine({ at, ferry, run }: Workspace): Promise<CarriedEngine> {
  const uv = await realUv();
  const { archive, version: python, full } = await realInterpreter();
  const upstream = await startUpstream({
    releases: [uvRelease(Buffer.from("uv\n")), interpreterRelease(archive, full)],
    sources: [],
  });
  try {
    await mkdir(at("recipes"));
    await writeFile(join(at("recipes"), `${ENGINE.project}.yaml`), recipe(python));
    await writeFile(at("engine.yaml"), SPEC);
    await writeFile(at("downloads.json"), JSON.stringify(interpreterTable(hexOf(digestOf(archive)), full)));
    const env = {
      ...upstream.env,
      ...realIndexSettings({}),
      ...ownAuthority(),
      FERRY_UV: uv,
      FERRY_RECIPES: at("recipes"),
      UV_PYTHON_DOWNLOADS_JSON_URL: at("downloads.json"),
      PATH: `${pythonFolder()}:/usr/bin:/bin`,
    };
    await run(
      [
        ["keys", "new", "--out", "key"],
        [
          "build",
          "engine.yaml",
          "-o",
          "b.tar",
          "--store",
          "built",
          "--sign-key",
          "key.key",
          "--skip-closure",
        ],
        ["import", "b.tar", "--store", "mirror", "--key", "key.pub"],
      ]
        .map((words) => shell([process.execPath, ferry, ...words]))
        .join("\n"),
      env,
    );
  } finally {
    await upstream.close();
  }
  return { store: at("mirror"), uv, python };
}

/** Where something between this machine and the index signs its traffic, Node is told so by the environment alone. */
function ownAuthority(): Record<string, string> {
  const file = process.env["NODE_EXTRA_CA_CERTS"];
  return file === undefined ? {} : { NODE_EXTRA_CA_CERTS: file };
}
