import { execFileSync } from "node:child_process";
import { lstat, mkdir, readdir, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { readInstallScript } from "../../server/install/script.ts";
import { tarGzOf } from "../support/archives/tar-gz.ts";
import { type InstallSite, installSite } from "../support/install/install-site.ts";
import { nvidiaSmi, SHELLS } from "../support/install/node.ts";
import { pythonPractice, smallWheels, torchWheel, uvArchive } from "../support/install/python-practice.ts";
import { makeWheel } from "../support/python-index/wheel.ts";
import { zipOf } from "../support/python-index/zip-file.ts";
import { REAL_INTERPRETER_TIMEOUT, realInterpreter } from "../support/real-interpreter.ts";

const WANTED = ["small", "1.0"];

beforeAll(async () => {
  await Promise.all([realInterpreter(), uvArchive()]);
}, REAL_INTERPRETER_TIMEOUT);

/** What the installed program says. */
async function says({ node, at }: InstallSite, program = "small", ...args: string[]): Promise<string> {
  const { stdout, stderr, code } = await node.start(["sh", at("bin", program), ...args]);
  return code === 0 ? stdout.trim() : `code ${code}: ${stderr}`;
}

const pythons = async ({ at }: InstallSite): Promise<string[]> => readdir(at("engines/.python"));

describe.each(SHELLS)("a Python engine in $name", { timeout: 180_000 }, (shell) => {
  it("is installed with its interpreter, its lock and its program, and asks the mirror alone", async () => {
    const site = await installSite({ shell, bundles: [await pythonPractice()] });
    const run = await site.install(WANTED);
    expect([run.stderr, run.code]).toEqual(["", 0]);
    expect(run.stdout).toContain("it says: small 1.0 on lib 2.0+local");
    expect(await says(site, "small", "--version", "a b")).toBe("small 1.0 on lib 2.0+local a b");
    const asked = site.mirror.requests.map((line) => line.replace(/^GET .*\/|\?.*$/g, ""));
    expect(asked.slice(0, 4)).toEqual([
      "1.0",
      "uv-x86_64-unknown-linux-gnu.tar.gz",
      expect.stringMatching(/^cpython-.*\.tar\.gz$/),
      "pylock.toml",
    ]);
    expect(asked.slice(4).sort()).toEqual([
      "install.sh",
      "lib-2.0+local-py3-none-any.whl",
      "small-1.0-py3-none-any.whl",
    ]);
    const [python = ""] = await pythons(site);
    const marker = await site.node.read(site.at("engines/small/current/.ferry-installed"));
    expect(marker).toContain(`\ninterpreter ${python}\n`);
    expect(marker).toMatch(/\nlock locks\/small\/1\.0\/amd64\/cpu\/pylock\.toml sha256:[0-9a-f]{64}\n/);
    expect(await site.node.read(site.at("engines/small/current/pylock.toml"))).toContain('path = "packages/');
    for (const path of [
      `engines/.python/${python}`,
      "engines/small/1.0-cpu",
      "engines/small/1.0-cpu/bin/small",
    ]) {
      expect([path, (await lstat(site.at(path))).mode & 0o777]).toEqual([path, 0o755]);
    }
    await expect(lstat(site.at("engines/small/.work"))).rejects.toThrow("ENOENT");
    // Who may not write there would compile it anew with every start.
    const found = await site.node.start(["find", site.at("engines/small/current/lib/"), "-name", "small"]);
    expect(await readdir(join(found.stdout.trim(), "__pycache__"))).toHaveLength(1);

    site.mirror.requests.length = 0;
    const again = await site.install(WANTED);
    expect([again.stderr, again.code]).toEqual(["", 0]);
    expect(again.stdout).toContain("small 1.0-cpu is installed already");
    expect(site.mirror.requests.filter((line) => !/\/v1\/install\/|\/install\.sh/.test(line))).toEqual([]);
  });

  it("shares its interpreter between versions, goes back, and takes it away with the last of them", async () => {
    const bundles = [await pythonPractice({ versions: ["0.9", "1.0"] })];
    const site = await installSite({ shell, bundles });
    expect((await site.install(["small", "0.9"])).code).toBe(0);
    site.mirror.requests.length = 0;
    expect((await site.ferry(...WANTED)).code).toBe(0);
    expect(await says(site)).toBe("small 1.0 on lib 2.0+local");
    expect(await pythons(site)).toHaveLength(1);
    const status = await site.ferry("status");
    expect([status.stderr, status.code]).toEqual(["", 0]);
    expect(status.stdout).toContain("it runs: small 1.0 on lib 2.0+local");
    expect(status.stdout).toMatch(/^Python 3\.\d+-[0-9a-f]{16}: \d+ MB, used by 2 of these$/m);

    expect((await site.ferry("rollback", "small")).stdout).toContain("small 0.9-cpu is in use again");
    expect(await says(site)).toBe("small 0.9 on lib 2.0+local");
    expect((await site.ferry("remove", "small", "1.0-cpu")).code).toBe(0);
    expect(await says(site)).toBe("small 0.9 on lib 2.0+local");
    const removed = await site.ferry("remove", "small");
    expect([removed.stderr, removed.code]).toEqual(["", 0]);
    expect(await readdir(site.at("engines"))).toEqual([]);
    expect(await readdir(site.at("bin"))).toEqual(["ferry-install"]);
  });

  it("whose program is Python itself is called by its own name, and says its version by a program of some lines", async () => {
    const program = `import sys, lib\nassert sys.argv[1:] == [], "it's \\"so\\" \\\\ $(id) \`id\`"\nprint("lib\\t" + lib.VERSION)`;
    const build = { binary: "python", versionArgs: ["-c", program] };
    const site = await installSite({ shell, bundles: [await pythonPractice({ build })] });
    const run = await site.install([...WANTED, "--key", site.pub].slice(0, shell.busybox ? 2 : 4));
    expect([run.stderr, run.code]).toEqual(["", 0]);
    expect(run.stdout).toContain("it says: lib2.0+local");
    expect((await readdir(site.at("bin"))).sort()).toEqual(["ferry-install", "small"]);
    expect(await says(site, "small", "-c", "import lib; print(lib.VERSION)")).toBe("2.0+local");
    expect((await site.ferry("status")).stdout).toContain("it runs: lib2.0+local");
  });
});

describe("a Python engine", { timeout: 180_000 }, () => {
  it("P16: takes nothing over from the user's own settings", async () => {
    const site = await installSite({ bundles: [await pythonPractice()] });
    const nowhere = "http://127.0.0.1:9/simple";
    await mkdir(join(site.node.folder, "home/.config/uv"), { recursive: true });
    await writeFile(
      join(site.node.folder, "home/.config/uv/uv.toml"),
      `index-url = "${nowhere}"\noffline = true\n`,
    );
    await writeFile(join(site.node.folder, "uv.toml"), "offline = true\n");
    const env = {
      UV_INDEX_URL: nowhere,
      UV_EXTRA_INDEX_URL: nowhere,
      UV_OFFLINE: "1",
      UV_TORCH_BACKEND: "cu118",
      UV_CACHE_DIR: "/nowhere/at all",
      UV_PYTHON: "3.1",
      PIP_INDEX_URL: nowhere,
      PIP_REQUIRE_VIRTUALENV: "1",
      PYTHONPATH: "/nowhere",
      PYTHONHOME: "/nowhere",
      VIRTUAL_ENV: "/nowhere",
      CONDA_PREFIX: "/nowhere",
    };
    const run = await site.install(WANTED, { env });
    expect([run.stderr, run.code]).toEqual(["", 0]);
    const { stdout } = await site.node.start(["sh", site.at("bin/small")], { env });
    expect(stdout).toBe("small 1.0 on lib 2.0+local\n");
    expect((await site.ferry("status")).code).toBe(0);
  });

  it("gets its source archive and its assets put into the environment", async () => {
    const source = "o/small/archive/refs/tags/1.0.tar.gz";
    const asset = "o/small/releases/download/1.0/native.zip";
    const check = `import os, sys\nd = os.path.dirname(os.path.dirname(os.path.abspath(sys.executable)))\nprint(open(d + "/app/main.txt").read(), os.access(d + "/app/native/run", os.X_OK))`;
    const bundles = [
      await pythonPractice({
        python: { source, assets: [asset] },
        files: {
          [source]: tarGzOf([
            { path: "small-1.0/", type: "Directory" },
            { path: "small-1.0/main.txt", content: "the source" },
            { path: "small-1.0/A name (odd).txt", content: "odd" },
            { path: "small-1.0/link", type: "SymbolicLink", linkpath: "main.txt" },
          ]),
          [asset]: zipOf([{ name: "native/run", content: "#!/bin/sh\n", mode: 0o755 }]),
        },
        build: {
          binary: "python",
          versionArgs: ["-c", check],
          source: { url: "https://github.com/x", sha256: "0".repeat(64), top: "small-1.0", dir: "app" },
          assets: ["native.zip"],
          assetDir: "app/native",
        },
      }),
    ];
    const site = await installSite({ bundles });
    const run = await site.install([...WANTED, "--key", site.pub]);
    expect([run.stderr, run.code]).toEqual(["", 0]);
    expect(run.stdout).toContain("it says: the source True");
    expect(await readlink(site.at("engines/small/current/app/link"))).toBe("main.txt");
    expect(await readdir(site.at("engines/small/current/app"))).toContain("A name (odd).txt");
  });

  const app = { url: "https://github.com/x", sha256: "0".repeat(64), top: "small-1.0", dir: "app" };
  it.each([
    ["a way out", tarGzOf([{ path: "small-1.0/../../../evil", content: "x" }]), "it holds the name"],
    [
      "a link out",
      tarGzOf([{ path: "small-1.0/a", type: "SymbolicLink", linkpath: "../../../../etc" }]),
      "outside",
    ],
    ["another folder", tarGzOf([{ path: "big-2.0/a", content: "x" }]), "is not below 'small-1.0'"],
    ["a zip with a way out", zipOf([{ name: "small-1.0/../../x", content: "x" }]), "it holds the name"],
    [
      "a zip with a link",
      zipOf([{ name: "small-1.0/x", content: "/etc", mode: 0o120777 }]),
      "what is no file or folder",
    ],
    ["no archive", Buffer.from("<html>"), "file could not be opened"],
  ])("is not installed from a source archive with %s", async (_name, content, words) => {
    const source = "o/small/archive/refs/tags/1.0.tar.gz";
    const bundle = await pythonPractice({
      python: { source },
      files: { [source]: content },
      build: { source: app },
    });
    const site = await installSite({ bundles: [bundle] });
    const { code, stderr } = await site.install(WANTED);
    expect([code, stderr]).toEqual([5, expect.stringContaining(words)]);
    expect(stderr).toContain("1.0.tar.gz must not be unpacked");
    await expect(lstat(site.at("engines/small/current"))).rejects.toThrow("ENOENT");
  });

  const onCard = (arch: string) => ({
    wheels: (version: string) => [...smallWheels(version), torchWheel(arch)],
    build: { gpuCheck: true, packages: { deb: ["gcc"], rpm: ["gcc"] } },
  });

  it("is proven by a computation on every card", async () => {
    const site = await installSite({ bundles: [await pythonPractice(onCard("sm_89"))] });
    await site.node.program("nvidia-smi", nvidiaSmi("580.65.06", "8.9", "8.9"));
    await site.node.program("apt-get", "exit 1");
    const run = await site.install(WANTED, { env: { PRACTICE_CARDS: "2" } });
    expect([run.stderr, run.code]).toEqual(["", 0]);
    expect(run.stdout).toContain("card:    CUDA0: Practice GPU (compute capability 8.9)\n");
    expect(run.stdout).toContain("card:    CUDA1: Practice GPU (compute capability 8.9)\n");
    expect(run.stdout).toContain("there is no C compiler here; install it with: apt-get install gcc");
  });

  it.each([
    [
      "has no kernels for the card",
      "sm_120",
      { PRACTICE_CARDS: "1" },
      "this build has no kernels for Practice GPU (compute capability 8.9): it was built for sm_120;",
    ],
    ["sees no card", "sm_89", {}, "torch 2.10.0 (CUDA 13.0) sees no card; the driver is 580.65.06"],
  ])("that %s is not put in use", async (_name, arch, env, words) => {
    const site = await installSite({ bundles: [await pythonPractice(onCard(arch))], driver: "580.65.06" });
    const { code, stderr } = await site.install(WANTED, { env });
    expect([code, stderr]).toEqual([10, expect.stringContaining(words)]);
    await expect(lstat(site.at("engines/small/current"))).rejects.toThrow("ENOENT");
  });

  it("on a machine without a card is not asked to compute", async () => {
    const site = await installSite({ bundles: [await pythonPractice(onCard("sm_89"))] });
    expect((await site.install(WANTED)).code).toBe(0);
  });

  it("P12: whose wheels are for other machines is not installed, and uv's reason is told", async () => {
    const wheels = (version: string) => [
      ...smallWheels(version),
      makeWheel({ name: "far", version: "1.0", tag: "cp312-cp312-manylinux_2_99_x86_64" }),
    ];
    const site = await installSite({ bundles: [await pythonPractice({ wheels })] });
    const { code, stderr } = await site.install(WANTED);
    expect([code, stderr]).toEqual([
      10,
      expect.stringContaining("cpu: the wheels do not fit this machine: "),
    ]);
    expect(stderr).toContain("far");
  });

  it("keeps what uv has downloaded after a failure, and nothing of it after a success", async () => {
    const program = "import os; assert 'PRACTICE_FAULT' not in os.environ, 'not today'; print('it is')";
    const build = { binary: "python", versionArgs: ["-c", program] };
    const site = await installSite({ bundles: [await pythonPractice({ build })] });
    const failed = await site.install(WANTED, { env: { PRACTICE_FAULT: "1" } });
    expect([failed.code, failed.stderr]).toEqual([
      10,
      expect.stringContaining("cpu: python -c ... ends with code 1: AssertionError: not today"),
    ]);
    expect(await readdir(site.at("engines/small/.work"))).toContain("uv-cache");
    site.mirror.requests.length = 0;
    expect((await site.install(WANTED)).code).toBe(0);
    expect(site.mirror.requests.filter((line) => /\.whl|\.tar\.gz/.test(line))).toEqual([]);
    await expect(lstat(site.at("engines/small/.work"))).rejects.toThrow("ENOENT");
  });

  it("whose wheels cannot be had is not installed", async () => {
    const site = await installSite({ bundles: [await pythonPractice()] });
    site.mirror.instead = (request, response) => {
      if (request.url?.includes("/lib-2.0") !== true) return false;
      response.writeHead(404).end();
      return true;
    };
    const { code, stderr } = await site.install(WANTED);
    expect([code, stderr]).toEqual([4, expect.stringContaining("the wheels cannot be had from")]);
    await expect(lstat(site.at("engines/small/current"))).rejects.toThrow("ENOENT");
  });

  it("is installed on a terminal too, where uv shows its progress", async () => {
    const site = await installSite({ bundles: [await pythonPractice()] });
    const file = join(site.node.folder, "install.sh");
    await writeFile(file, await readInstallScript());
    // Itself, and not what a version manager puts before it: that needs more of a PATH than the node has.
    const python = execFileSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" });
    const terminal = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
    const run = await site.install(WANTED, { file, before: [python.trim(), "-c", terminal] });
    expect([run.code, run.stdout]).toEqual([0, expect.stringContaining("Installed 2 packages")]);
    expect(run.stdout).toContain("it says: small 1.0 on lib 2.0+local");
  });

  it("is told by a dry run with its packages, and nothing changes", async () => {
    const site = await installSite({ bundles: [await pythonPractice()] });
    const { code, stdout } = await site.install([...WANTED, "--dry-run", "--key", site.pub]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("  and 2 packages (")]);
    await expect(lstat(site.node.prefix)).rejects.toThrow("ENOENT");
  });
});
