import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { hexOf } from "../../src/lib/digest.ts";
import { encodePath } from "../../src/wire/github.ts";
import { type Pylock, parsePylock } from "../../src/wire/pylock.ts";
import type { TestMirror } from "../support/mirror-server.ts";
import { wheelPath } from "../support/python-bundle.ts";
import { type Ended, mustRun, prefixProxy, runClient } from "../support/python-clients.ts";
import {
  LOCKED,
  pythonSite,
  RELEASE_WHEEL,
  SITE_FOLDER,
  SITE_LOCK,
  WITHDRAWN,
  wheelsTaken,
} from "../support/python-site.ts";
import { REAL_UV_TIMEOUT, realUv } from "../support/real-uv.ts";
import { tmpDir } from "../support/tmp.ts";

let uv: string;
beforeAll(async () => {
  uv = await realUv();
}, REAL_UV_TIMEOUT);

const FREEZE = ["--exclude-newer", "2026-09-02T08:00:00Z"];
const TARGET = ["--python-version", "3.12", "--python-platform", "x86_64-manylinux_2_35", "--no-build"];

/** As agents write it: the engine, and a second index for torch and nothing else. */
function pyproject(base: string, requirement: string): string {
  return `[project]
name = "node"
version = "0"
requires-python = ">=3.8"
dependencies = [${JSON.stringify(requirement)}, "torch==2.10.0+cu129"]
[[tool.uv.index]]
name = "pytorch"
url = "${base}/whl/cu129"
explicit = true
[tool.uv.sources]
torch = { index = "pytorch" }
`;
}

async function project(base: string, requirement = "demo-engine==1.0"): Promise<string> {
  const cwd = await tmpDir();
  await writeFile(join(cwd, "pyproject.toml"), pyproject(base, requirement));
  return cwd;
}

function compile(cwd: string, base: string, ...more: string[]): Promise<Ended> {
  const parameters = ["pip", "compile", "pyproject.toml", ...FREEZE, ...TARGET, ...more];
  return mustRun(uv, parameters, { cwd, env: { UV_DEFAULT_INDEX: `${base}/simple` } });
}

/** What must be equal in two locks, whatever addresses they name. */
function content({ packages }: Pylock): unknown[] {
  return packages.map(({ name, version, marker, wheels }) => ({
    name,
    version,
    marker,
    wheels: wheels.map((file) => ({ ...file, url: undefined, path: undefined })),
  }));
}

async function environment(cwd: string): Promise<string> {
  await mustRun(uv, ["venv", "-q", "env"], { cwd });
  return join(cwd, "env", "bin", "python");
}

const says = (python: string, cwd: string): Promise<Ended> =>
  mustRun(python, ["-c", "import demo_engine, dep_a, dep_b, torch; print(torch.VERSION, dep_a.VERSION)"], {
    cwd,
  });

/** Names of wheels that were taken by any request for them. */
const takenNames = (mirror: TestMirror): string[] =>
  Object.keys(wheelsTaken(mirror)).map((path) => path.slice(path.lastIndexOf("/") + 1));

describe("uv pip compile against the mirror", () => {
  it("P1, P4 gives the lock that the builder made, frozen in time, and reads no wheel for it", async () => {
    const mirror = await pythonSite();
    const cwd = await project(mirror.url);
    await compile(cwd, mirror.url, "--format", "pylock.toml", "-o", "pylock.toml");
    const found = parsePylock(await readFile(join(cwd, "pylock.toml"), "utf8"));
    const carried = parsePylock((await mirror.get(`/${SITE_LOCK}`)).text);
    expect(content(found)).toEqual(content(carried));
    const urls = found.packages.flatMap(({ wheels }) => wheels.map(({ url }) => url));
    expect(urls).toEqual(carried.packages.flatMap(({ wheels }) => wheels.map(({ url }) => url)));
    expect(urls.at(-1)).toBe(`${mirror.url}/whl/cu129/torch-2.10.0%2Bcu129-py3-none-any.whl`);
    expect(wheelsTaken(mirror)).toEqual({});
    expect(mirror.log.filter(({ status }) => status !== 200)).toEqual([]);
    expect(mirror.log.some(({ path }) => path.endsWith(".metadata"))).toBe(true);
  });

  it("P1 --generate-hashes gives every hash, and takes nothing that came later", async () => {
    const mirror = await pythonSite();
    const { out } = await compile(await project(mirror.url), mirror.url, "--generate-hashes");
    for (const { distribution } of LOCKED) {
      expect(out).toContain(`${distribution.project}==${distribution.version}`);
      expect(out).toContain(`--hash=sha256:${hexOf(distribution.digest)}`);
    }
    expect(out).not.toContain("dep-a==2.0");
    expect(wheelsTaken(mirror)).toEqual({});
  });

  it("P7 reads of a release's wheel its end alone", async () => {
    const mirror = await pythonSite();
    const { distribution } = RELEASE_WHEEL;
    const url = `${mirror.url}/${encodePath(wheelPath(RELEASE_WHEEL))}#sha256=${hexOf(distribution.digest)}`;
    const cwd = await project(mirror.url, `gh-engine @ ${url}`);
    await compile(cwd, mirror.url, "--format", "pylock.toml", "-o", "pylock.toml");
    const asked = mirror.log.filter(({ path }) => path.endsWith(distribution.filename));
    expect(asked.map(({ method, range }) => (range === undefined ? method : "part")).sort()).toEqual(
      expect.arrayContaining(["HEAD", "part"]),
    );
    expect(asked.every(({ method, range }) => method === "HEAD" || range !== undefined)).toBe(true);
    expect(Object.values(wheelsTaken(mirror))[0]).toBeLessThan(100_000);
    expect(distribution.bytes.length).toBeGreaterThan(3_000_000);
  });

  it("P17 takes a withdrawn release where it is pinned and nowhere else, from either format", async () => {
    const mirror = await pythonSite();
    const html = `${await prefixProxy(mirror.url, { prefix: "/html", accept: "text/html" })}/html`;
    for (const base of [mirror.url, html]) {
      for (const [requirement, taken] of [
        ["dep-y==1.0", true],
        ["dep-y", false],
      ] as const) {
        const cwd = await tmpDir();
        await writeFile(join(cwd, "in.txt"), `${requirement}\n`);
        const { code, out, err } = await runClient(uv, ["pip", "compile", "in.txt", ...FREEZE], {
          cwd,
          env: { UV_DEFAULT_INDEX: `${base}/simple` },
        });
        expect([base, requirement, code === 0]).toEqual([base, requirement, taken]);
        expect(taken ? out : err).toContain(taken ? "dep-y==1.0" : "yanked");
      }
    }
    expect(WITHDRAWN.yanked).toBe("eats files");
  });

  it("says of a project that is not here that it was not found, and never asks for a password", async () => {
    const mirror = await pythonSite();
    const cwd = await tmpDir();
    await writeFile(join(cwd, "in.txt"), "no-such-project\n");
    const env = { UV_DEFAULT_INDEX: `${mirror.url}/simple` };
    const { code, err } = await runClient(uv, ["pip", "compile", "in.txt"], { cwd, env });
    expect(code).not.toBe(0);
    expect(err).toContain("not found in the package registry");
  });
});

describe("uv pip install from the mirror", () => {
  it("P3 installs the carried lock by its address, with hashes required", async () => {
    const mirror = await pythonSite();
    const cwd = await tmpDir();
    const python = await environment(cwd);
    const lock = `${mirror.url}/${SITE_LOCK}`;
    await mustRun(uv, ["pip", "install", "-q", "--python", python, "--require-hashes", "-r", lock], { cwd });
    expect((await says(python, cwd)).out).toBe("2.10.0+cu129 1.0\n");
    expect(takenNames(mirror).sort()).toEqual(LOCKED.map(({ distribution }) => distribution.filename).sort());
  });

  it("installs from the folder of wheels without any server", async () => {
    const mirror = await pythonSite();
    const cwd = await tmpDir();
    const python = await environment(cwd);
    await writeFile(join(cwd, "folder.tar"), (await mirror.get(`/${SITE_FOLDER}`)).body);
    await mkdir(join(cwd, "folder"));
    await mustRun("tar", ["-xf", "folder.tar", "-C", "folder"], { cwd });
    const before = mirror.log.length;
    const install = [
      "pip",
      "install",
      "-q",
      "--python",
      python,
      "--require-hashes",
      "-r",
      "folder/pylock.toml",
    ];
    await mustRun(uv, install, { cwd, env: { UV_DEFAULT_INDEX: "http://127.0.0.1:9/simple" } });
    expect((await says(python, cwd)).out).toBe("2.10.0+cu129 1.0\n");
    expect(mirror.log.length).toBe(before);
  });

  it("P9 finds its way behind a prefix that nobody told the mirror of, and through a redirect", async () => {
    const mirror = await pythonSite();
    const proxy = await prefixProxy(mirror.url, { prefix: "/a/b" });
    // After /old/ comes a redirect to the mirror's own address.
    const indexes = ["a/b/simple", "a/b/simple/", "a/b//simple", "old/simple", "old/simple/"];
    for (const index of indexes) {
      const cwd = await tmpDir();
      const install = [
        "pip",
        "install",
        "--target",
        "there",
        "--default-index",
        `${proxy}/${index}`,
        "Dep.A==1.0",
      ];
      await mustRun(uv, install, { cwd });
      expect(await readFile(join(cwd, "there", "dep_a", "__init__.py"), "utf8")).toContain("1.0");
    }
  });

  it("P9 locks name the prefix where the proxy says it", async () => {
    const mirror = await pythonSite();
    const proxy = await prefixProxy(mirror.url, { prefix: "/a/b", tells: true });
    const cwd = await tmpDir();
    const lock = `${proxy}/a/b/${SITE_LOCK}`;
    const urls = (await (await fetch(lock)).text()).match(/url = "[^"]*"/g) ?? [];
    expect(urls).toHaveLength(LOCKED.length);
    expect(urls.every((url) => url.startsWith(`url = "${proxy}/a/b/`))).toBe(true);
    const install = ["pip", "install", "-q", "--target", "there", "--require-hashes", "-r", lock];
    await mustRun(uv, install, { cwd });
    expect(await readFile(join(cwd, "there", "dep_a", "__init__.py"), "utf8")).toContain("1.0");
  });
});

describe("uv sync", () => {
  it("takes everything from the mirror with UV_DEFAULT_INDEX", async () => {
    const mirror = await pythonSite();
    const cwd = await project(mirror.url);
    await mustRun(uv, ["sync", "-q", ...FREEZE], { cwd, env: { UV_DEFAULT_INDEX: `${mirror.url}/simple` } });
    expect((await says(join(cwd, ".venv", "bin", "python"), cwd)).out).toBe("2.10.0+cu129 1.0\n");
    const lock = await readFile(join(cwd, "uv.lock"), "utf8");
    const hosts = new Set([...lock.matchAll(/https?:\/\/[^/"]+/g)].map(([origin]) => origin));
    expect([...hosts]).toEqual([mirror.url]);
  });
});
