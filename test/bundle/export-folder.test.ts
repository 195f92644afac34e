import { execFileSync, spawnSync } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { renderBundle } from "../../src/bundle/manifest.ts";
import { tarGzOf } from "../support/archives/tar-gz.ts";
import { writeFolder, writeTarOf } from "../support/bundle-on-disk.ts";
import { which } from "../support/install/node.ts";
import { type PythonPractice, pythonPractice, uvArchive } from "../support/install/python-practice.ts";
import type { MemoryFile } from "../support/memory-source.ts";
import { zipOf } from "../support/python-index/zip-file.ts";
import { REAL_INTERPRETER_TIMEOUT, realInterpreter } from "../support/real-interpreter.ts";
import { type FerryRun, runFerry } from "../support/run-ferry.ts";
import { bundleFilesOf, type LoadedPair, newPair, sampleDocument } from "../support/sample-bundle.ts";
import { tmpDir } from "../support/tmp.ts";

beforeAll(async () => {
  await Promise.all([realInterpreter(), uvArchive()]);
}, REAL_INTERPRETER_TIMEOUT);

interface Desk {
  folder: string;
  pair: LoadedPair;
  files: MemoryFile[];
  at: (name: string) => string;
  ferry: (...argv: string[]) => Promise<FerryRun>;
}

/** A bundle of a Python engine as a tar, `b.tar`, with its public key, `b.pub`. */
async function desk(options: PythonPractice = {}): Promise<Desk> {
  const folder = await tmpDir("ferry desk-");
  const pair = newPair();
  const bundle = await pythonPractice(options);
  const contents = new Map(
    Object.entries(bundle.files ?? {}).map(([path, content]) => [path, Buffer.from(content)]),
  );
  const { name, counter = 1 } = bundle;
  const document = sampleDocument({ releases: [], ...bundle.document, name, counter }, contents);
  document.files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const files = bundleFilesOf(renderBundle(document, [pair.signer]), contents);
  const at = (one: string): string => join(folder, one);
  await writeTarOf(at("b.tar"), files);
  await writeFile(at("b.pub"), pair.publicPem);
  const ferry: Desk["ferry"] = (...argv) => runFerry(argv, { cwd: folder });
  return { folder, pair, files, at, ferry };
}

const WANTED = ["small", "1.0", "--arch", "amd64"];

describe("ferry export-folder", { timeout: 120_000 }, () => {
  it("writes a folder from which the engine installs without any network, by the commands in it", async () => {
    const [source, asset] = [
      "o/small/archive/refs/tags/1.0.tar.gz",
      "o/small/releases/download/1.0/native.zip",
    ];
    const { ferry, at, folder } = await desk({
      python: { source, assets: [asset] },
      files: {
        [source]: tarGzOf([{ path: "small-1.0/main.txt", content: "the source" }]),
        [asset]: zipOf([{ name: "native.txt", content: "native" }]),
      },
      build: {
        source: { url: "https://github.com/x", sha256: "0".repeat(64), top: "small-1.0", dir: "app" },
        assets: ["native.zip"],
        assetDir: "app/native",
        versionArgs: ["--it's", "a b"],
      },
    });
    const run = await ferry("export-folder", "b.tar", ...WANTED, "--key", "b.pub", "-o", "out");
    expect([run.stderr, run.code]).toEqual(["", 0]);
    expect(run.stdout).toContain(`small 1.0 amd64 cpu is in ${at("out")}\n`);
    expect((await readdir(at("out"))).sort()).toEqual([
      "1.0.tar.gz",
      "INSTALL.txt",
      "SHA256SUMS",
      expect.stringMatching(/^cpython-.*\.tar\.gz$/),
      "lib-2.0+local-py3-none-any.whl",
      "native.zip",
      "pylock.toml",
      "small-1.0-py3-none-any.whl",
      "uv-x86_64-unknown-linux-gnu.tar.gz",
    ]);
    const lock = await readFile(at("out/pylock.toml"), "utf8");
    expect(lock).toContain('path = "lib-2.0+local-py3-none-any.whl"');
    expect(lock).not.toContain("packages/");
    expect((await stat(at("out/pylock.toml"))).mode & 0o777).toBe(0o644);

    const text = await readFile(at("out/INSTALL.txt"), "utf8");
    const commands = text.slice(text.indexOf("sha256sum -c"));
    const dest = at("a place");
    const script = commands.replace("DEST=/opt/small-1.0-cpu", `DEST='${dest}'`);
    expect(script).not.toBe(commands);
    const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", HOME: folder };
    const installed = spawnSync(which("unshare"), ["-n", "sh", "-e"], {
      input: script,
      cwd: at("out"),
      env,
      encoding: "utf8",
    });
    expect([installed.status, installed.stderr]).toEqual([
      0,
      expect.stringContaining("Installed 2 packages"),
    ]);
    expect(installed.stdout).toContain("small 1.0 on lib 2.0+local a b\n");
    expect(await readFile(join(dest, "env/app/main.txt"), "utf8")).toBe("the source");
    expect(await readFile(join(dest, "env/app/native/native.txt"), "utf8")).toBe("native");
  });

  it("reads folders and standard input alike, and writes the same bytes again over an earlier one", async () => {
    const { ferry, at, files, folder } = await desk();
    await writeFolder(at("b"), files);
    expect((await ferry("export-folder", "b.tar", ...WANTED, "--key", "b.pub", "-o", "out")).code).toBe(0);
    const before = await readFile(at("out/SHA256SUMS"), "utf8");
    expect((await ferry("export-folder", "b", ...WANTED, "--allow-unsigned", "-o", "out")).stdout).toContain(
      "nobody's signature was checked",
    );
    expect(await readFile(at("out/SHA256SUMS"), "utf8")).toBe(before);
    const stdin = createReadStream(at("b.tar"));
    const argv = ["export-folder", "-", ...WANTED, "--key", "b.pub", "-o", "piped"];
    expect((await runFerry(argv, { cwd: folder, stdin })).code).toBe(0);
    expect(await readFile(at("piped/SHA256SUMS"), "utf8")).toBe(before);
    execFileSync("sha256sum", ["-c", "--quiet", "SHA256SUMS"], { cwd: at("out") });
  });

  it.each([
    [["big", "1.0", "--arch", "amd64"], "the bundle carries no big 1.0 amd64"],
    [["small", "1.0", "--arch", "arm64"], "the bundle carries no small 1.0 arm64"],
    [["small", "1.0", "--arch", "amd64", "--variant", "cu13"], "the bundle carries no small 1.0 amd64 cu13"],
  ])("says what there is where %j is not", async (wish, words) => {
    const { ferry } = await desk();
    const run = await ferry("export-folder", "b.tar", ...wish, "--key", "b.pub", "-o", "out");
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(words)]);
    expect(run.stderr).toContain("It carries: small 1.0 amd64 cpu.");
  });

  it("takes nothing from a bundle that another key signed, and says where no key was given", async () => {
    const { ferry, at } = await desk();
    await writeFile(at("other.pub"), newPair().publicPem);
    const unchecked = await ferry("export-folder", "b.tar", ...WANTED, "-o", "unchecked");
    expect([unchecked.code, unchecked.stderr]).toEqual([
      0,
      expect.stringContaining("signature is NOT checked"),
    ]);
    expect((await ferry("export-folder", "b.tar", ...WANTED, "--key", "other.pub", "-o", "out")).code).toBe(
      5,
    );
    await expect(readdir(at("out"))).rejects.toThrow("ENOENT");
  });

  it("replaces no folder that is somebody else's", async () => {
    const { ferry, at } = await desk();
    await mkdir(at("mine"));
    await writeFile(at("mine/INSTALL.txt"), "my own notes\n");
    const run = await ferry("export-folder", "b.tar", ...WANTED, "--key", "b.pub", "-o", "mine");
    expect([run.code, run.stderr]).toEqual([
      7,
      expect.stringContaining("was not written by ferry export-folder"),
    ]);
    expect(await readdir(at("mine"))).toEqual(["INSTALL.txt"]);
  });

  it("leaves nothing behind where a wheel is damaged", async () => {
    const { ferry, at, files } = await desk();
    const damaged = files.map(({ name, bytes }) => {
      const isWheel = bytes.includes("small/__init__.py") && !bytes.includes("formatVersion");
      return { name, bytes: isWheel ? Buffer.from(bytes).fill(7, 50, 60) : bytes };
    });
    await writeTarOf(at("bad.tar"), damaged);
    const run = await ferry("export-folder", "bad.tar", ...WANTED, "--key", "b.pub", "-o", "out");
    expect([run.code, run.stderr]).toEqual([5, expect.stringContaining("small-1.0-py3-none-any.whl")]);
    expect((await readdir(at("."))).sort()).toEqual(["b.pub", "b.tar", "bad.tar"]);
  });

  it("is refused where the lock names what is not carried", async () => {
    const { ferry } = await desk({ lock: (text) => text.replace("packages/", "packages/00/") });
    const run = await ferry("export-folder", "b.tar", ...WANTED, "--key", "b.pub", "-o", "out");
    expect([run.code, run.stderr]).toEqual([
      5,
      expect.stringContaining("which the bundle does not carry like that"),
    ]);
  });
});
