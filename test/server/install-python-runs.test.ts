import { existsSync } from "node:fs";
import { lstat, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { tarGzOf } from "../support/archives/tar-gz.ts";
import { type InstallSite, installSite } from "../support/install/install-site.ts";
import { which } from "../support/install/node.ts";
import { pythonPractice, uvArchive } from "../support/install/python-practice.ts";
import { networkNamespace, noNamespace } from "../support/net-namespace.ts";
import { UV_PATH } from "../support/python-bundle.ts";
import { REAL_INTERPRETER_TIMEOUT, realInterpreter } from "../support/real-interpreter.ts";
import { realUv } from "../support/real-uv.ts";
import { mountTmpfs, noTmpfs } from "../support/tmpfs.ts";

const WANTED = ["small", "1.0"];

beforeAll(async () => {
  await Promise.all([realInterpreter(), uvArchive()]);
}, REAL_INTERPRETER_TIMEOUT);

async function says({ node, at }: InstallSite): Promise<string> {
  const { stdout, stderr, code } = await node.start(["sh", at("bin/small"), "--version"]);
  return code === 0 ? stdout.trim() : `code ${code}: ${stderr}`;
}

/** A uv that ends everything, itself too, where $HOME/kill-at names this moment of its work. */
async function deadlyUv(): Promise<Buffer> {
  const script = [
    "#!/bin/sh",
    'at() { [ "$1" = pip ] || [ "$1" = venv ] || return 0; [ "$(cat "$HOME/kill-at" 2>/dev/null)" != "$1 $2" ] || kill -9 0; }',
    'at "$1" before',
    '"${0%/*}/real-uv" "$@" || exit',
    'at "$1" after',
  ];
  const top = "uv-x86_64-unknown-linux-gnu";
  return tarGzOf([
    { path: `${top}/`, type: "Directory" },
    { path: `${top}/uv`, content: `${script.join("\n")}\n`, mode: 0o755 },
    { path: `${top}/real-uv`, content: await readFile(await realUv()), mode: 0o755 },
  ]);
}

describe("M15: a Python engine's install that is killed", { timeout: 600_000 }, () => {
  it.each(["venv before", "venv after", "pip before", "pip after"])(
    "M15: at uv's %s leaves the old version as it was, and the next run finishes",
    async (moment) => {
      const files = { [UV_PATH]: await deadlyUv() };
      const bundles = [await pythonPractice({ versions: ["0.9", "1.0"], files })];
      const site = await installSite({ bundles });
      expect((await site.install(["small", "0.9"])).code).toBe(0);
      await writeFile(join(site.node.folder, "home/kill-at"), moment);
      expect((await site.install(WANTED)).code).toBe(137);
      expect(await says(site)).toBe("small 0.9 on lib 2.0+local");
      expect((await site.ferry("status")).code).toBe(0);
      await rm(join(site.node.folder, "home/kill-at"));
      site.mirror.requests.length = 0;
      expect((await site.install(WANTED)).code).toBe(0);
      expect(await says(site)).toBe("small 1.0 on lib 2.0+local");
      expect(site.mirror.requests.filter((line) => line.includes(".tar.gz"))).toEqual([]);
      if (moment === "pip after") {
        expect(site.mirror.requests.filter((line) => line.includes(".whl"))).toEqual([]);
      }
    },
  );

  it("M15: at any of its steps leaves what was in use, and the next run finishes", async () => {
    const bundles = [await pythonPractice({ versions: ["0.9", "1.0"] })];
    const site = await installSite({ bundles });
    expect((await site.install(["small", "0.9"])).code).toBe(0);
    const [counter, limit] = [join(site.node.folder, "steps"), join(site.node.folder, "kill-at")];
    for (const name of ["curl", "tar", "mv", "rm", "mkdir", "chmod", "ln", "sync"]) {
      const body = `n=$(($(${which("cat")} '${counter}') + 1)); echo "$n" >'${counter}'\n[ "$n" != "$(${which("cat")} '${limit}')" ] || kill -9 0\nexec ${which(name)} "$@"`;
      await site.node.program(name, body);
    }
    let code = 137;
    let kills = 0;
    for (let step = 1; code === 137; step += 5) {
      await writeFile(counter, "0");
      await writeFile(limit, String(step));
      ({ code } = await site.install(WANTED));
      if (code === 137) kills++;
      await writeFile(limit, "-1");
      expect([step, await says(site)]).toEqual([step, expect.stringMatching(/^small (0\.9|1\.0) on lib/)]);
    }
    expect([code, kills > 5]).toEqual([0, true]);
    expect(await says(site)).toBe("small 1.0 on lib 2.0+local");
    for (const left of ["engines/small/.work", ".lock"]) {
      await expect(lstat(site.at(left))).rejects.toThrow("ENOENT");
    }
  });

  it("puts an interpreter in place anew that does not start any more", async () => {
    const site = await installSite({ bundles: [await pythonPractice()] });
    expect((await site.install(WANTED)).code).toBe(0);
    const [python = ""] = await readdir(site.at("engines/.python"));
    await rm(site.at("engines/.python", python, "bin"), { recursive: true });
    expect((await site.ferry("status")).code).toBe(10);
    const run = await site.install(WANTED);
    expect(run.stderr).toContain("small 1.0-cpu is installed, but does not run");
    expect([run.code, await says(site)]).toEqual([0, "small 1.0 on lib 2.0+local"]);
  });

  it("takes an interpreter away that a killed run left and nothing uses, with the next removal", async () => {
    const site = await installSite({ bundles: [await pythonPractice()] });
    expect((await site.install(WANTED)).code).toBe(0);
    const orphan = site.at("engines/.python/3.9-0123456789abcdef");
    await mkdir(orphan);
    await writeFile(join(orphan, ".ferry-installed"), "ferry-python 1\n");
    const strange = site.at("engines/.python/not ours");
    await mkdir(strange);
    expect((await site.ferry("remove", "small")).code).toBe(0);
    expect([existsSync(orphan), existsSync(strange)]).toEqual([false, true]);
  });
});

if (noTmpfs !== undefined) process.stdout.write(`skipped: M18 of Python engines: ${noTmpfs}\n`);

describe.skipIf(noTmpfs !== undefined)(
  "M18: too small a disk for a Python engine",
  { timeout: 120_000 },
  () => {
    it.each([
      ["by its files", {}, 30_000_000],
      ["by what its recipe says", { freeGB: 0.4 }, 300_000_000],
    ])("M18: %s is told before anything is fetched", async (_name, build, bytes) => {
      const site = await installSite({ bundles: [await pythonPractice({ build })] });
      await mkdir(join(site.node.folder, "opt"));
      mountTmpfs(site.node.prefix, bytes);
      const { code, stderr } = await site.install(WANTED);
      expect([code, stderr]).toEqual([
        6,
        expect.stringContaining("of free space are needed to download small 1.0-cpu"),
      ]);
      expect(site.mirror.requests.filter((line) => !line.includes("/v1/"))).toEqual([]);
    });
  },
);

const noSpace = noNamespace();
if (noSpace !== undefined) process.stdout.write(`skipped: P20: ${noSpace}\n`);

describe.skipIf(noSpace !== undefined)("P20: with no route but the mirror", { timeout: 120_000 }, () => {
  it("P20: a Python engine is installed, and no packet is meant for anywhere else", async () => {
    const space = networkNamespace();
    const site = await installSite({ bundles: [await pythonPractice()] });
    const port = Number(new URL(site.mirror.url).port);
    const gate = createServer((inner) => {
      const outer = connect(port, "127.0.0.1");
      inner.pipe(outer).pipe(inner);
      for (const end of [inner, outer]) end.on("error", () => inner.destroy());
    });
    await new Promise<void>((resolve) => gate.listen(0, space.hostAddress, resolve));
    onTestFinished(() => {
      gate.close();
    });
    const mirror = `http://${space.hostAddress}:${(gate.address() as AddressInfo).port}`;
    const inside = async (command: readonly string[]): Promise<string> =>
      (await site.node.start(command, { before: space.exec })).stdout;
    const args = [...WANTED, "--mirror", mirror, "--prefix", site.node.prefix];
    const run = await site.node.run(args, { before: space.exec });
    expect([run.stderr, run.code]).toEqual(["", 0]);
    expect(await inside(["sh", site.at("bin/small"), "--version"])).toBe("small 1.0 on lib 2.0+local\n");
    const [names = "", values = ""] = (await inside(["cat", "/proc/net/snmp"]))
      .split("\n")
      .filter((line) => line.startsWith("Ip: "));
    const column = names.split(" ").indexOf("OutNoRoutes");
    expect([column > 0, values.split(" ")[column]]).toEqual([true, "0"]);
  });
});
