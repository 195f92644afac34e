import { execFileSync } from "node:child_process";
import { lstat, mkdir, readFile, readlink, rm } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { Recipe } from "../../src/recipe/schema.ts";
import { tarGzOf, tarOf } from "../support/archives/tar-gz.ts";
import { archiveWith, patched, serverSaying } from "../support/install/archives.ts";
import { type InstallSite, installSite, type SiteOptions } from "../support/install/install-site.ts";
import { which } from "../support/install/node.ts";
import { llamaRecipe, practiceAsset, practiceBundle } from "../support/install/practice-bundle.ts";
import { mountTmpfs, noTmpfs } from "../support/tmpfs.ts";

const WANTED = ["llamacpp", "b11347"];
const CPU = "llama-b11347-bin-ubuntu-x64.tar.gz";
const CUDA = "llama-b11347-bin-ubuntu-cuda-13.4-x64.tar.gz";
const CUDART = "cudart-llama-b11347-bin-ubuntu-cuda-13.4-x64.tar.gz";
const OLD_CUDA = "llama-b11347-bin-ubuntu-cuda-12.8-x64.tar.gz";

/** A node with b11300 in use, and a mirror whose b11347 has these archives. */
async function withOld(
  archives: Readonly<Record<string, Buffer>>,
  options: SiteOptions = {},
): Promise<InstallSite> {
  const bundles = [
    practiceBundle({ name: "old", tags: ["b11300"] }),
    practiceBundle({ name: "new", archives }),
  ];
  const site = await installSite({ bundles, ...options });
  expect((await site.install(["llamacpp", "b11300"])).code).toBe(0);
  return site;
}

/** What worked before still works, and of the new version nothing is there. */
async function expectOld({ version, at, ferry }: InstallSite): Promise<void> {
  expect(await version()).toMatch(/^version: 11300 /);
  const status = await ferry("status");
  expect([status.code, status.stdout]).toEqual([0, expect.not.stringContaining("b11347")]);
  await expect(lstat(at(".lock"))).rejects.toThrow("ENOENT");
}

const curl = await readFile(which("curl"));

describe("M16: a verified program that cannot run here", { timeout: 120_000 }, () => {
  it("M16: lacks a library: it is named with the package to install, and the old version stays", async () => {
    const site = await withOld({ [CPU]: archiveWith(patched(curl, "libcurl.so.4", "libgomp.so.9")) });
    await site.node.program("apt-get", "exit 1");
    const { code, stderr } = await site.install(WANTED);
    expect(code).toBe(10);
    expect(stderr).toContain(
      "cpu: this system lacks libgomp.so.9; install it with: apt-get install libgomp1",
    );
    await expectOld(site);
  });

  it("M16: the package is named as the system's own package manager calls it", async () => {
    const site = await withOld({ [CPU]: archiveWith(patched(curl, "libcurl.so.4", "libgomp.so.9")) });
    await site.node.program("dnf", "exit 1");
    expect((await site.install(WANTED)).stderr).toContain("install it with: dnf install libgomp\n");
  });

  it("M16: a library that nobody knows leads to the packages that the build names", async () => {
    const site = await withOld({ [CPU]: archiveWith(patched(curl, "libcurl.so.4", "libferry.so.")) });
    expect((await site.install(WANTED)).stderr).toContain(
      "this system lacks libferry.so.; packages that the build needs: libgomp1 (Debian, Ubuntu), libgomp (RHEL, Rocky, SUSE)",
    );
  });

  it("M16: a backend that is loaded by name is looked at too, and its neighbours count as there", async () => {
    const library = patched(curl, "libcurl.so.4", "libgomp.so.9");
    const backend = { path: "llama-b11347/libggml-cpu-x64.so", content: library, mode: 0o755 };
    const site = await withOld({ [CPU]: archiveWith(serverSaying(), [backend]) });
    expect((await site.install(WANTED)).stderr).toContain("this system lacks libgomp.so.9");
    const beside = { path: "llama-b11347/libgomp.so.9", content: "beside it", mode: 0o755 };
    const whole = await withOld({ [CPU]: archiveWith(serverSaying(), [backend, beside]) });
    expect((await whole.install(WANTED)).code).toBe(0);
  });

  it("M16: is linked with a newer glibc: no package is named, for none mends that", async () => {
    const site = await withOld({ [CPU]: archiveWith(patched(curl, "GLIBC_2.", "GLIBC_9.")) });
    const { code, stderr } = await site.install(WANTED);
    expect(code).toBe(10);
    expect(stderr).toMatch(/cpu: it needs glibc 9\.\d+; this system has \d+\.\d+, and no package mends that/);
    await expectOld(site);
  });

  it("M16: does not start: the next candidate is taken, and it is said why", async () => {
    const archives = { [CUDA]: archiveWith("#!/bin/sh\necho 'no CUDA today' >&2\nexit 3\n") };
    const { install, at, node } = await withOld(archives, { driver: "580.65.06" });
    const { code, stdout, stderr } = await install(WANTED);
    expect(code).toBe(0);
    expect(stderr).toContain(
      "b11347 cuda-13.4 is not installed: llama-server --version ends with code 3: no CUDA today",
    );
    expect(stdout).toContain("llamacpp b11347 (cuda-12.8) is installed");
    expect(await readlink(at("engines/llamacpp/current"))).toBe("b11347-cuda-12.8");
    await expect(lstat(at("engines/llamacpp/b11347-cuda-13.4"))).rejects.toThrow("ENOENT");
    expect(node.folder).toBeDefined();
  });

  it("M16: a CUDA backend that loads nothing is not taken for a success", async () => {
    const runtime = "cudart-llama-b11347-bin-ubuntu-cuda-12.8-x64.tar.gz";
    const archives = { [CUDART]: practiceAsset("b11347", runtime) };
    const { install } = await withOld(archives, { driver: "580.65.06" });
    const { code, stdout, stderr } = await install(WANTED);
    expect(stderr).toContain(
      "cuda-13.4 is not installed: llama-server starts, but its cuda backend (libggml-cuda.so) sees no card; the driver is 580.65.06",
    );
    expect(stdout).toContain("llamacpp b11347 (cuda-12.8) is installed");
    expect(code).toBe(0);
  });

  it("M16: where none runs, all reasons are said, and nothing changes", async () => {
    const broken = archiveWith("#!/bin/sh\nexit 1\n");
    const names = [CUDA, OLD_CUDA, "llama-b11347-bin-ubuntu-vulkan-x64.tar.gz"];
    const site = await withOld(Object.fromEntries(names.map((name) => [name, broken])), {
      driver: "580.65.06",
    });
    const { code, stderr } = await site.install(WANTED);
    expect(code).toBe(10);
    for (const variant of ["cuda-13.4", "cuda-12.8", "vulkan"]) {
      expect(stderr).toContain(`\n  ${variant}: llama-server --version ends with code 1`);
    }
    expect(stderr).toContain("What is in use stays so: b11300-cuda-13.4. Nothing was installed.");
    await expectOld(site);
  });

  it("M16: a processor without what the build needs is told before anything is fetched", async () => {
    const recipe = Recipe.parse({
      ...llamaRecipe,
      defaults: { ...llamaRecipe.defaults, cpuFlags: ["avx9000"] },
    });
    const { install, mirror } = await installSite({ bundles: [practiceBundle({ recipe })] });
    const { code, stderr } = await install(WANTED);
    expect([code, stderr]).toEqual([10, expect.stringContaining("this processor has no avx9000")]);
    expect(mirror.requests.filter((line) => line.includes("download"))).toEqual([]);
  });

  it("M16: an archive without its program is not installed", async () => {
    const empty = tarGzOf([{ path: "llama-b11347/README", content: "no program" }]);
    const site = await withOld({ [CPU]: empty });
    expect((await site.install(WANTED)).stderr).toContain("cpu: it holds no program llama-server");
    await expectOld(site);
  });
});

if (noTmpfs !== undefined) process.stdout.write(`skipped: M18 and full disks: ${noTmpfs}\n`);

describe.skipIf(noTmpfs !== undefined)("M18: an unfriendly machine", { timeout: 120_000 }, () => {
  it("M18: root without the right to give files away, and an archive of somebody else's", async () => {
    const site = await installSite({ bundles: [practiceBundle({ archives: { [CPU]: await owned(1234) } })] });
    const before = [which("setpriv"), "--bounding-set=-chown", "--inh-caps=-chown", "--"];
    const run = await site.install(WANTED, { before });
    expect([run.stderr, run.code]).toEqual(["", 0]);
    expect((await lstat(site.at("engines/llamacpp/b11347-cpu/llama-server"))).uid).toBe(0);
  });

  it("M18: an umask that hides everything does not hide what is installed", async () => {
    const { install, node, at } = await installSite();
    const run = await install(WANTED, { before: [which("sh"), "-c", 'umask 077; exec "$@"', "sh"] });
    expect(run.code).toBe(0);
    for (const path of ["", "bin", "engines", "engines/llamacpp", "engines/llamacpp/b11347-cpu"]) {
      expect([path, (await lstat(at(path))).mode & 0o777]).toEqual([path, 0o755]);
    }
    expect((await lstat(join(node.folder, "opt"))).mode & 0o777).toBe(0o755);
  });

  it("M18: a /tmp on which nothing may be run", async () => {
    const { install, node, version } = await installSite();
    const folder = join(node.folder, "noexec");
    mountNoexec(folder);
    expect((await install(WANTED, { env: { TMPDIR: folder } })).code).toBe(0);
    expect(await version()).toMatch(/^version: 11347 /);
  });

  it("M18: a target on which nothing may be run is told", async () => {
    const { install, node } = await installSite();
    mountNoexec(node.prefix);
    const { code, stderr } = await install(WANTED);
    expect([code, stderr]).toEqual([7, expect.stringContaining("mounted noexec")]);
  });

  it.each([
    ["to download", 60_000, practiceAsset("b11347", CPU)],
    ["to unpack", 1_000_000, zeros(4_000_000)],
  ])(
    "M18: too small a disk %s is told before it is full, and nothing is left half done",
    async (words, bytes, archive) => {
      const { install, node, at } = await installSite({
        bundles: [practiceBundle({ archives: { [CPU]: archive } })],
      });
      await mkdir(join(node.folder, "opt"));
      mountTmpfs(node.prefix, bytes);
      const { code, stderr } = await install(WANTED);
      expect([code, stderr]).toEqual([6, expect.stringContaining("of free space are needed")]);
      expect(stderr).toContain(words);
      await expect(lstat(at("engines/llamacpp/current"))).rejects.toThrow("ENOENT");
    },
  );
});

function mountNoexec(folder: string): void {
  execFileSync("mkdir", ["-p", folder]);
  execFileSync("mount", ["-t", "tmpfs", "-o", "noexec,size=16m", "none", folder]);
  onTestFinished(() => {
    execFileSync("umount", [folder]);
  });
}

/** An archive that unpacks to very much more than it is. */
function zeros(size: number): Buffer {
  const members = [
    { path: "llama-b11347/llama-server", content: serverSaying(), mode: 0o755 },
    { path: "llama-b11347/zeros", content: Buffer.alloc(size) },
  ];
  return gzipSync(tarOf(members));
}

/** The practice archive as a user with this number would have packed it. */
async function owned(uid: number): Promise<Buffer> {
  const { node } = await installSite();
  const at = (name: string): string => join(node.folder, name);
  const files = { from: at("from.tar.gz"), tree: at("tree"), to: at("to.tar.gz") };
  await rm(files.tree, { recursive: true, force: true });
  await mkdir(files.tree);
  execFileSync("sh", ["-c", 'cat >"$1"', "sh", files.from], { input: practiceAsset("b11347", CPU) });
  execFileSync("tar", ["-xzf", files.from, "-C", files.tree]);
  execFileSync("tar", [
    "-czf",
    files.to,
    "-C",
    files.tree,
    `--owner=+${uid}`,
    `--group=+${uid}`,
    "llama-b11347",
  ]);
  return readFile(files.to);
}
