import { lstat } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { parseAuth } from "../../server/auth.ts";
import { type InstallSite, installSite } from "../support/install/install-site.ts";
import { SHELLS } from "../support/install/node.ts";
import { type PythonPractice, pythonPractice, uvArchive } from "../support/install/python-practice.ts";
import { swap } from "../support/install/swap.ts";
import { tlsFront } from "../support/install/tls-front.ts";
import { INTERPRETER_PATH } from "../support/python-bundle.ts";
import { makeWheel } from "../support/python-index/wheel.ts";
import { REAL_INTERPRETER_TIMEOUT, realInterpreter } from "../support/real-interpreter.ts";

const WANTED = ["small", "1.0"];
const PLAN = "/v1/install/";

beforeAll(async () => {
  await Promise.all([realInterpreter(), uvArchive()]);
}, REAL_INTERPRETER_TIMEOUT);

async function expectNothing({ at }: InstallSite): Promise<void> {
  await expect(lstat(at("engines/small/current"))).rejects.toThrow("ENOENT");
  await expect(lstat(at("bin/small"))).rejects.toThrow("ENOENT");
}

const edited =
  (from: RegExp | string, to: string) =>
  (body: Buffer): string => {
    const text = body.toString("utf8");
    const changed = text.replace(from, to);
    expect(changed).not.toBe(text);
    return changed;
  };

/** Two bundles of the same engine: an older version with its own lock, and an interpreter of its own. */
async function twoBundles(more: PythonPractice = {}): Promise<InstallSite> {
  const { archive } = await realInterpreter();
  const path = INTERPRETER_PATH.replace("20261003", "20260901");
  const other = { path, archive: Buffer.concat([archive, Buffer.alloc(512)]) };
  const old = await pythonPractice({ name: "old", versions: ["0.9"], interpreter: other });
  return installSite({ bundles: [old, await pythonPractice(more)] });
}

describe.each(SHELLS.filter(({ busybox }) => !busybox))("--key in $name", { timeout: 180_000 }, (shell) => {
  it.each(["ed25519", "p256"] as const)("verifies a Python engine by a key of %s", async (algorithm) => {
    const bundles = [await pythonPractice()];
    const site = await installSite({ shell, algorithm, bundles });
    const run = await site.install([...WANTED, "--key", site.pub]);
    expect([run.stderr, run.code]).toEqual(["", 0]);
    expect(run.stdout).toContain("signed:  bundle py-1, by key");
  });
});

describe("--key", { timeout: 180_000 }, () => {
  const lockLine = /^file [0-9a-f]{64} \d+ lock .*$/m;
  const interpreterLine = /^file [0-9a-f]{64} \d+ interpreter .*$/m;

  it.each([
    ["another version's lock, as signed", lockLine, "small says something else"],
    ["another interpreter, as signed", interpreterLine, "small says something else"],
  ])("refuses %s", async (_name, line) => {
    const site = await twoBundles();
    const query = "?arch=amd64";
    const plan = async (version: string): Promise<string> => {
      const answer = await fetch(`${site.mirror.url}${PLAN}small/${version}${query}`, {
        headers: { accept: "text/plain" },
      });
      return answer.text();
    };
    const others = line.exec(await plan("0.9"))?.[0] ?? "";
    expect(others).not.toBe("");
    swap(site, `${PLAN}small/1.0`, edited(line, others));
    const { code, stderr } = await site.install([...WANTED, "--key", site.pub]);
    expect([code, stderr]).toEqual([
      5,
      expect.stringMatching(/is no file of the signed bundle py-1|document of bundle py-1/),
    ]);
    await expectNothing(site);
  });

  it.each([
    ["a lock of another variant in the same bundle", lockLine, "its glibc, interpreter and lock"],
    ["another version of the same bundle", /^candidate 1 cpu 1\.0$/m, "does not list these files as small"],
  ])("refuses %s", async (name, line, words) => {
    const site = await installSite({ bundles: [await pythonPractice({ versions: ["0.9", "1.0"] })] });
    const answer = await fetch(`${site.mirror.url}${PLAN}small/0.9?arch=amd64`, {
      headers: { accept: "text/plain" },
    });
    const other =
      line.exec((await answer.text()).replace("candidate 1 cpu 0.9", "candidate 1 cpu 1.0"))?.[0] ?? "";
    const change = name.startsWith("another") ? edited(line, "candidate 1 cpu 1.1") : edited(line, other);
    swap(site, `${PLAN}small/1.0`, change);
    const { code, stderr } = await site.install([...WANTED, "--key", site.pub]);
    expect([code, stderr]).toEqual([5, expect.stringContaining(words)]);
    await expectNothing(site);
  });

  it.each([
    ["other arguments", /^args --version$/m, "args -V", "is started with -V"],
    [
      "a program as argument",
      /^args --version$/m,
      'argument "-c"\nargument "import os; os.system(\\"id\\")"',
      "is started with -c ...",
    ],
    ["another program", /^binary small$/m, "binary python", "the binary of 1.0-cpu is python"],
    ["another Python", /^python .*$/m, "python 3.99", "its uv, Python and source"],
    ["another glibc", /^glibc .*$/m, "glibc 2.5", "its glibc, interpreter and lock"],
    ["another size", /^wheels 2 .*$/m, "wheels 2 1", "its assets"],
    ["a proof that is none", /^binary/m, "gpucheck torch\nbinary", "how it is proven"],
    [
      "a source that is none",
      /^(binary .*(?:\n.*)*?)\nfile (\S+) (\S+) lock (.*)$/m,
      "source app top\n$1\nfile $2 $3 lock $4\nfile $2 $3 source $4",
      "its source archive",
    ],
  ])("refuses %s", async (_name, from, to, words) => {
    const site = await installSite({ bundles: [await pythonPractice()] });
    swap(site, PLAN, edited(from, to));
    const { code, stderr } = await site.install([...WANTED, "--key", site.pub]);
    expect([code, stderr]).toEqual([5, expect.stringContaining(words)]);
    await expectNothing(site);
  });

  it("refuses an archive engine in place of one that runs in Python", async () => {
    const site = await installSite({ bundles: [await pythonPractice()] });
    swap(site, PLAN, (body) => {
      const lines = body
        .toString("utf8")
        .replace(/^(python|glibc|wheels) .*\n/gm, "")
        .split("\n");
      return lines
        .filter((line) => !/^file .* (uv|lock) /.test(line))
        .join("\n")
        .replace(" interpreter ", " tar.gz ");
    });
    const { code, stderr } = await site.install([...WANTED, "--key", site.pub]);
    expect([code, stderr]).toEqual([5, expect.stringContaining("does not list these files as small 1.0")]);
    await expectNothing(site);
  });
});

describe("a plan of a Python engine", { timeout: 120_000 }, () => {
  it.each([
    ["without a lock", /^file .* lock .*\n/m, ""],
    ["with two interpreters", /^(file .* interpreter .*)$/m, "$1\n$1"],
    ["with an archive for tar", /^(file \S+ \S+) uv (.*)$/m, "$1 tar.gz $2"],
    ["without wheels", /^wheels .*\n/m, ""],
    ["with a folder that leads out", /^binary/m, "source a/../../b top\nbinary"],
    ["with half an argument", /^args .*$/m, 'argument "a"b"'],
    ["with an escape that is none", /^args .*$/m, 'argument "a\\u0024"'],
    ["of no Python, with a lock", /^(python|glibc|wheels) .*\n(glibc .*\n)?(wheels .*\n)?/m, ""],
  ])("%s is refused", async (_name, from, to) => {
    const site = await installSite({ bundles: [await pythonPractice()] });
    swap(site, PLAN, edited(from, to));
    const { code, stderr } = await site.install(WANTED);
    expect([code, stderr]).toEqual([5, expect.stringContaining("the mirror's install plan holds")]);
    await expectNothing(site);
  });
});

describe("wheels", { timeout: 180_000 }, () => {
  it("that are not what the lock says are not installed", async () => {
    const site = await installSite({ bundles: [await pythonPractice()] });
    const evil = makeWheel({
      name: "lib",
      version: "2.0+local",
      files: { "lib/__init__.py": "VERSION = 'evil'" },
    });
    swap(site, "/lib-2.0", () => evil.bytes);
    const { code, stderr } = await site.install(WANTED);
    expect([code, stderr]).toEqual([
      5,
      expect.stringContaining("a wheel is not the one that the lock names"),
    ]);
    await expectNothing(site);
  });

  it("P3: of a lock that names another place are not asked for there", async () => {
    const bundle = await pythonPractice();
    const [lock = ""] = Object.keys(bundle.files ?? {}).filter((path) => path.endsWith("/pylock.toml"));
    const text = String(bundle.files?.[lock]).replace('path = "', 'url = "http://127.0.0.1:9/');
    const site = await installSite({ bundles: [{ ...bundle, files: { ...bundle.files, [lock]: text } }] });
    const { code, stderr } = await site.install(WANTED);
    expect([code, stderr]).toEqual([
      5,
      expect.stringContaining("the carried lock names what is no carried wheel"),
    ]);
    await expectNothing(site);
  });

  it("come from a mirror that asks for a token and has a certificate of one's own", async () => {
    const auth = parseAuth("bearer s3cret-token\n", "auth");
    const site = await installSite({ auth, bundles: [await pythonPractice()] });
    const { url, ca } = await tlsFront(site.mirror.url);
    const env = { FERRY_TOKEN: "s3cret-token" };
    const args = [...WANTED, "--mirror", url, "--prefix", site.node.prefix, "--ca", ca];
    const done = await site.node.run(args, { env });
    expect([done.stderr, done.code]).toEqual(["", 0]);
    expect(done.stdout).toContain("it says: small 1.0 on lib 2.0+local");
    const without = await site.node.run(args.slice(0, -2), { env });
    expect(without.code).toBe(4);
  });

  it("come from a mirror that asks for a token, over http", async () => {
    const auth = parseAuth("bearer s3cret-token\n", "auth");
    const site = await installSite({ auth, bundles: [await pythonPractice()] });
    const run = await site.install(WANTED, { env: { FERRY_TOKEN: "s3cret-token" } });
    expect([run.stderr, run.code]).toEqual(["", 0]);
    expect((await site.install(["small", "1.0"])).code).toBe(4);
  });
});
