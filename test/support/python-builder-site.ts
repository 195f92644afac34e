import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { digestOf, hexOf } from "../../src/lib/digest.ts";
import { tarGzOf } from "./archives/tar-gz.ts";
import { type PythonIndex, pythonIndex } from "./python-index/python-index.ts";
import { realUv, UV_VERSION } from "./real-uv.ts";
import { type Site, site } from "./site.ts";
import { bytesContent } from "./upstream/content.ts";
import type { ReleaseSeed } from "./upstream/release.ts";

/** Tag of the practice release of interpreters. */
export const INTERPRETER_BUILD = "20991231";
const MACHINES = { amd64: "x86_64", arm64: "aarch64" } as const;

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
  await writeFile(at("downloads.json"), JSON.stringify(downloads(sha256, full)));
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

/** Where a Python lies: uv asks every one that it finds on PATH, and version managers answer slowly. */
function pythonFolder(): string {
  const program = execFileSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" });
  return dirname(program.trim());
}

function uvRelease(binary: Buffer): ReleaseSeed {
  return {
    repo: "astral-sh/uv",
    tag: UV_VERSION,
    publishedAt: "2026-11-01T00:00:00Z",
    assets: Object.values(MACHINES).map((machine) => {
      const top = `uv-${machine}-unknown-linux-gnu`;
      const content = machine === "x86_64" ? binary : Buffer.from(`uv for ${machine}\n`);
      const bytes = tarGzOf([{ path: `${top}/uv`, content, mode: 0o755 }]);
      return { name: `${top}.tar.gz`, content: bytesContent(bytes) };
    }),
  };
}

function interpreterName(machine: string, full: string): string {
  return `cpython-${full}+${INTERPRETER_BUILD}-${machine}-unknown-linux-gnu-install_only_stripped.tar.gz`;
}

function interpreterRelease(archive: Buffer, full: string): ReleaseSeed {
  return {
    repo: "astral-sh/python-build-standalone",
    tag: INTERPRETER_BUILD,
    publishedAt: "2026-11-02T00:00:00Z",
    assets: Object.values(MACHINES).map((machine) => ({
      name: interpreterName(machine, full),
      content: bytesContent(archive),
    })),
  };
}

/** uv's own table, as UV_PYTHON_DOWNLOADS_JSON_URL gives it. */
function downloads(sha256: string, full: string): unknown {
  const [major, minor, patch] = full.split(".").map(Number);
  const base = `https://github.com/astral-sh/python-build-standalone/releases/download/${INTERPRETER_BUILD}`;
  return Object.fromEntries(
    Object.values(MACHINES).map((machine) => [
      `cpython-${full}-linux-${machine}-gnu`,
      {
        name: "cpython",
        arch: { family: machine, variant: null },
        os: "linux",
        libc: "gnu",
        major,
        minor,
        patch,
        prerelease: "",
        url: `${base}/${interpreterName(machine, full).replace("+", "%2B")}`,
        sha256,
        variant: null,
        build: INTERPRETER_BUILD,
      },
    ]),
  );
}

const SYSCONFIG = "# system configuration generated and used by the sysconfig module\nbuild_time_vars = {}\n";

/** What uv takes for an interpreter when it unpacks one; it does not run it. */
export function fakeInterpreter(): Buffer {
  return tarGzOf([
    { path: "python/bin/python3.12", content: "#!/bin/sh\necho no interpreter\n", mode: 0o755 },
    {
      path: "python/lib/python3.12/_sysconfigdata__linux_x86_64-linux-gnu.py",
      content: SYSCONFIG,
    },
    {
      path: "python/lib/python3.12/_sysconfigdata__linux_aarch64-linux-gnu.py",
      content: SYSCONFIG,
    },
  ]);
}
