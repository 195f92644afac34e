import { execFile } from "node:child_process";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { type Pylock, parsePylock } from "../../src/wire/pylock.ts";
import { networkNamespace, noNamespace } from "../support/net-namespace.ts";
import { type PythonBuilderSite, pythonBuilderSite } from "../support/python-builder-site.ts";
import { makeWheel } from "../support/python-index/wheel.ts";
import { realIndexSettings } from "../support/real-index.ts";
import {
  REAL_INTERPRETER_TIMEOUT,
  type RealInterpreter,
  realInterpreter,
} from "../support/real-interpreter.ts";
import { REAL_UV_TIMEOUT, realUv } from "../support/real-uv.ts";
import { serveIn } from "../support/serve-in.ts";

const run = promisify(execFile);

/** `FERRY_OFFLINE_TESTS=1`: an index on the loopback with an engine made in code, in place of the real one. */
const offline = process.env["FERRY_OFFLINE_TESTS"] === "1";
const why =
  noNamespace() ?? (process.arch === "x64" ? undefined : "uv of the practice release is for x86-64");
if (why !== undefined) process.stdout.write(`skipped: a Python engine in a network namespace: ${why}\n`);
if (offline) process.stdout.write("FERRY_OFFLINE_TESTS=1: the engine comes from an index made in code\n");

let python: RealInterpreter;
beforeAll(async () => {
  await realUv();
  python = await realInterpreter();
}, REAL_UV_TIMEOUT + REAL_INTERPRETER_TIMEOUT);

/** HTTPie: a command line tool in Python with some twenty dependencies, of which two are compiled. */
const RECIPE = (version: string): string => `label: HTTPie
pypi: httpie
versions: { pattern: '^[0-9]+(\\.[0-9]+)*$', ordering: pep440, example: 3.2.4 }
arch: { amd64: x86_64, arm64: aarch64 }
builds:
  - variant: cpu
    binary: http
    python: "${version}"
    requirements: ["httpie=={version}"]
    versionArgs: ["--version"]
`;
const SPEC = "name: tools\nengines:\n  - { engine: httpie, versions: [3.2.4] }\n";

async function builderSite(): Promise<PythonBuilderSite> {
  const made = await pythonBuilderSite({
    recipes: { httpie: RECIPE(python.version) },
    interpreter: python,
    carriesRealUv: true,
  });
  delete made.env["FERRY_UV"];
  if (offline) fillIndex(made);
  else Object.assign(made.env, realIndexSettings(made.env));
  return made;
}

function fillIndex({ index }: PythonBuilderSite): void {
  const script = "import sys\n\ndef main():\n    print('3.2.4')\n    sys.exit(0)\n";
  const engine = {
    name: "httpie",
    version: "3.2.4",
    requires: ["charset-normalizer>=2", "rich"],
    scripts: { http: "httpie:main" },
    files: { "httpie/__init__.py": script },
  };
  index.add(makeWheel(engine), { uploadedAt: "2024-11-01T17:31:22Z" });
  index.add(makeWheel({ name: "rich", version: "13.0" }), { uploadedAt: "2024-01-01T00:00:00Z" });
  for (const machine of ["x86_64", "aarch64"]) {
    const tag = `cp38-abi3-manylinux_2_17_${machine}`;
    index.add(makeWheel({ name: "charset-normalizer", version: "3.0", tag }), {
      uploadedAt: "2024-01-01T00:00:00Z",
    });
  }
}

const packagesOf = (lock: Pylock): string[] =>
  lock.packages.map(({ name, version }) => `${name}==${version ?? ""}`).sort();

describe.skipIf(why !== undefined)(
  "a node whose only route is the mirror, and a small real Python engine",
  () => {
    it("P20 installs it by /install.sh, by its own uv, and from a folder without a server, each with the same lock", {
      timeout: 600_000,
    }, async () => {
      const { ferry, spec, at, folder, uv } = await builderSite();
      expect((await ferry("keys", "new", "--out", "k")).code).toBe(0);
      const built = await ferry("build", await spec(SPEC), "-o", "b.tar", "--sign-key", "k.key");
      expect(built.code, built.stderr).toBe(0);
      expect(built.stderr).toContain("resolving httpie 3.2.4 arm64 cpu again from the bundle alone");
      const imported = await ferry("import", "b.tar", "--store", at("mirror"), "--key", "k.pub");
      expect(imported.code, imported.stderr).toBe(0);

      const { exec, hostAddress } = networkNamespace();
      const url = await serveIn({ store: at("mirror"), host: hostAddress, cwd: folder });
      const node = async (line: string, env: Record<string, string> = {}): Promise<string> => {
        const { stdout } = await run(exec[0] ?? "", [...exec.slice(1), "sh", "-c", line], {
          cwd: folder,
          env: { PATH: process.env["PATH"] ?? "", HOME: at("home"), ...env },
          maxBuffer: 64 * 1024 * 1024,
        });
        return stdout;
      };
      await mkdir(at("home"));

      // By the script, believing the key and not the mirror.
      await cp(at("k.pub"), at("home/k.pub"));
      const said = await node(
        `curl -fsSL ${url}/install.sh | sh -s -- httpie 3.2.4 --prefix '${at("prefix")}' --key '${at("home/k.pub")}'`,
      );
      expect(said).toContain("httpie 3.2.4 (cpu) is installed");
      expect(await node(`'${at("prefix/bin/http")}' --version`)).toContain("3.2.4");

      // The lock that the mirror serves is the one that was built.
      const lockUrl = `${url}/v1/locks/httpie/3.2.4/amd64/cpu/pylock.toml`;
      const served = parsePylock(await node(`curl -fsS ${lockUrl}`));
      const locked = packagesOf(served);
      expect(locked.length).toBeGreaterThan(offline ? 2 : 12);

      // By the node's own uv, that knows nothing but the mirror's index.
      const plan = JSON.parse(await node(`curl -fsS '${url}/pypi/httpie/3.2.4/json'`)) as {
        urls: { upload_time_iso_8601: string }[];
      };
      const published =
        plan.urls
          .map((file) => file.upload_time_iso_8601)
          .sort()
          .at(-1) ?? "";
      const cutoff = new Date(Date.parse(published) + 86_400_000).toISOString();
      await writeFile(at("home/in.txt"), "httpie==3.2.4\n");
      const settings = {
        UV_DEFAULT_INDEX: `${url}/simple/`,
        UV_CACHE_DIR: at("home/cache"),
        UV_NO_CONFIG: "1",
        UV_PYTHON_DOWNLOADS: "never",
      };
      const options = `--exclude-newer ${cutoff} --python-version ${python.version} --python-platform x86_64-manylinux_2_35 --no-build -q`;
      await node(
        `cd '${at("home")}' && '${uv}' pip compile in.txt ${options} --format pylock.toml -o pylock.own.toml`,
        settings,
      );
      const own = parsePylock(await readFile(at("home/pylock.own.toml"), "utf8"));
      expect(packagesOf(own)).toEqual(locked);
      const hashed = await node(
        `cd '${at("home")}' && '${uv}' pip compile in.txt ${options} --generate-hashes`,
        settings,
      );
      for (const name of locked) expect(hashed).toContain(name);
      const interpreter = (await node(`ls -d '${at("prefix")}'/engines/.python/*/bin/python3`)).trim();
      await node(
        `'${uv}' venv -q --python '${interpreter}' '${at("home/own")}' && VIRTUAL_ENV='${at("home/own")}' '${uv}' pip install -q --require-hashes -r '${at("home/pylock.own.toml")}' && '${at("home/own/bin/http")}' --version`,
        settings,
      );
      const frozen = await node(`VIRTUAL_ENV='${at("home/own")}' '${uv}' pip freeze`, settings);
      expect(frozen.trim().split("\n").sort()).toEqual(locked);

      // From a folder, with no server and no network at all.
      const exported = await ferry(
        "export-folder",
        "b.tar",
        "httpie",
        "3.2.4",
        "--arch",
        "amd64",
        "-o",
        "folder",
      );
      expect(exported.code, exported.stderr).toBe(0);
      const words = await readFile(at("folder/pylock.toml"), "utf8");
      expect(packagesOf(parsePylock(words))).toEqual(locked);
      const { stdout } = await run(
        "unshare",
        [
          "-n",
          "sh",
          "-c",
          `'${uv}' venv -q --python '${interpreter}' alone && VIRTUAL_ENV=alone '${uv}' pip install -q --offline --require-hashes -r folder/pylock.toml && alone/bin/http --version && VIRTUAL_ENV=alone '${uv}' pip freeze`,
        ],
        {
          cwd: folder,
          env: {
            PATH: process.env["PATH"] ?? "",
            HOME: at("home"),
            UV_CACHE_DIR: at("home/other"),
            UV_NO_CONFIG: "1",
          },
        },
      );
      expect(stdout.trim().split("\n").slice(1).sort()).toEqual(locked);
      expect(join(folder, "folder")).toBe(at("folder"));
    });
  },
);
