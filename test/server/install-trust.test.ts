import { randomBytes } from "node:crypto";
import { lstat, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TarMember } from "../support/archives/tar-gz.ts";
import { archiveWith, serverSaying } from "../support/install/archives.ts";
import { type InstallSite, installSite, type SiteOptions } from "../support/install/install-site.ts";
import { SHELLS } from "../support/install/node.ts";
import { practiceAsset, practiceBundle } from "../support/install/practice-bundle.ts";
import { swap } from "../support/install/swap.ts";
import { newPair } from "../support/sample-bundle.ts";

const WANTED = ["llamacpp", "b11347"];
const CPU = "llama-b11347-bin-ubuntu-x64.tar.gz";

/** A node with b11300 in use. */
async function withOld(options: SiteOptions = {}): Promise<InstallSite> {
  const bundles = [practiceBundle({ name: "old", tags: ["b11300"], variants: ["cpu"] }), practiceBundle()];
  const site = await installSite({ bundles, ...options });
  expect((await site.install(["llamacpp", "b11300"])).code).toBe(0);
  return site;
}

async function expectNothing({ at }: InstallSite): Promise<void> {
  await expect(lstat(at("engines/llamacpp/current"))).rejects.toThrow("ENOENT");
  await expect(lstat(at("bin/llama-server"))).rejects.toThrow("ENOENT");
}

async function expectOld({ version, at }: InstallSite): Promise<void> {
  expect(await version()).toMatch(/^version: 11300 /);
  expect((await readdir(at("engines/llamacpp"))).filter((name) => name.startsWith("b"))).toEqual([
    "b11300-cpu",
  ]);
  await expect(lstat(at(".lock"))).rejects.toThrow("ENOENT");
}

describe.each([["curl"], ["wget"]])(
  "a file that is not what it should be, fetched by %s",
  { timeout: 120_000 },
  (getter) => {
    const tools = [getter, "openssl"];

    it.each([
      [
        "other bytes",
        (body: Buffer) => randomBytes(body.length),
        "is not the file that it should be: expected sha256:",
      ],
      [
        "more bytes",
        (body: Buffer) => Buffer.concat([body, randomBytes(100_000)]),
        "is larger than it should be",
      ],
      ["fewer bytes", (body: Buffer) => body.subarray(0, 1000), "ends after 1000 bytes"],
      ["none", () => Buffer.alloc(0), "ends after 0 bytes"],
      ["an error page", () => "<html>unicorn</html>", "ends after 20 bytes"],
    ])("%s", async (_name, change, words) => {
      const site = await withOld({ tools });
      swap(site, `/${CPU}`, change);
      const { code, stderr } = await site.install(WANTED);
      expect([code, stderr]).toEqual([5, expect.stringContaining(words)]);
      await expectOld(site);
      site.mirror.instead = () => false;
      expect((await site.install(WANTED)).code).toBe(0);
    });

    it("a transfer that is cut goes on where it was, in the same run and in the next", async () => {
      const site = await withOld({ tools });
      const whole = practiceAsset("b11347", CPU);
      const ranges: (string | undefined)[] = [];
      let cuts = 3;
      site.mirror.instead = (request, response) => {
        if (request.url?.endsWith(CPU) !== true) return false;
        ranges.push(request.headers.range);
        if (cuts-- <= 0) return false;
        const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
        const to = cuts < 1 ? from : from + 10_000;
        response.writeHead(from === 0 ? 200 : 206, {
          "content-length": whole.length - from,
          ...(from === 0 ? {} : { "content-range": `bytes ${from}-${whole.length - 1}/${whole.length}` }),
        });
        response.write(whole.subarray(from, to), () => request.socket.destroy());
        return true;
      };
      const first = await site.install(WANTED);
      expect([first.code, first.stderr]).toEqual([
        4,
        expect.stringContaining("the 20 kB that came are kept"),
      ]);
      expect(first.stderr).toContain("was cut after 10 kB of 5");
      await expectOld(site);
      const second = await site.install(WANTED);
      expect(second.code).toBe(0);
      expect(ranges).toEqual([undefined, "bytes=10000-", "bytes=20000-", "bytes=20000-"]);
    });

    it("what was begun earlier and is another file is fetched anew", async () => {
      const site = await withOld({ tools });
      const whole = practiceAsset("b11347", CPU);
      site.mirror.instead = (request, response) => {
        if (request.url?.endsWith(CPU) !== true) return false;
        response.writeHead(200, { "content-length": whole.length });
        response.write(randomBytes(10_000), () => request.socket.destroy());
        site.mirror.instead = (again, late) => {
          if (again.url?.endsWith(CPU) !== true) return false;
          late.destroy();
          return true;
        };
        return true;
      };
      expect((await site.install(WANTED)).code).toBe(4);
      site.mirror.instead = () => false;
      const run = await site.install(WANTED);
      expect([run.code, run.stderr]).toEqual([0, expect.stringContaining("it is fetched anew")]);
    });
  },
);

describe("a mirror that cannot be asked", () => {
  it("because nobody listens", async () => {
    const { node } = await installSite();
    const run = await node.run([...WANTED, "--mirror", "http://127.0.0.1:9", "--prefix", node.prefix]);
    expect([run.code, run.stderr]).toEqual([
      4,
      expect.stringContaining("the install plan cannot be had from"),
    ]);
  });

  it.each([
    ["some other server", "<html>hello</html>", 4, "is no whole install plan"],
    ["a plan that was cut short", "ferry-plan 1\nengine llamacpp\n", 4, "is no whole install plan"],
    ["an empty answer", "", 4, "is no whole install plan"],
  ])("because it is %s", async (_name, body, code, words) => {
    const site = await installSite();
    swap(site, "/v1/install/", () => body);
    const run = await site.install(WANTED);
    expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(words)]);
  });
});

describe("a lying plan", { timeout: 120_000 }, () => {
  const lies: [string, (plan: string) => string, string][] = [
    [
      "leads out of the mirror",
      (plan) => plan.replace(/ ggml-org\//, " ggml-org/../../"),
      "a path that leads elsewhere",
    ],
    [
      "names a program elsewhere",
      (plan) => plan.replace("binary llama-server", "binary x/../../../../bin/sh"),
      "a path that leads elsewhere",
    ],
    [
      "names an absolute program",
      (plan) => plan.replace("binary llama-server", "binary /bin/sh"),
      "a line that no plan holds",
    ],
    [
      "holds a command",
      (plan) => plan.replace("binary llama-server", "binary $(touch pwned)"),
      "a line that no plan holds",
    ],
    [
      "holds a command as an argument",
      (plan) => plan.replace("args --version", "args --version;touch pwned"),
      "a line that no plan holds",
    ],
    [
      "has a second program",
      (plan) => plan.replace("args ", "binary llama-cli\nargs "),
      "two lines where there is one: binary",
    ],
    [
      "has second arguments",
      (plan) => plan.replace("args ", "args -m x\nargs "),
      "two lines where there is one: args",
    ],
    [
      "has no files",
      (plan) => plan.replace(/^file .*\n/gm, ""),
      "without its program, its bundle or its files",
    ],
    [
      "is of another engine",
      (plan) => plan.replace("engine llamacpp", "engine uv"),
      "another engine, version or architecture",
    ],
    [
      "is of another version",
      (plan) => plan.replace("version b11347", "version b11300"),
      "another engine, version or architecture",
    ],
    [
      "refuses with success",
      (plan) => plan.replace(/^candidate[^]*^end/m, "refused 0\nend"),
      "neither a build nor a refusal",
    ],
    [
      "is unknown",
      (plan) => plan.replace("binary", "execute"),
      "a line that no plan holds: execute llama-server",
    ],
    [
      "has a size that is none",
      (plan) => plan.replace(/ \d+ tar\.gz/, " -1 tar.gz"),
      "a line that no plan holds",
    ],
  ];
  it.each(lies)("that %s is refused", async (_name, change, words) => {
    const site = await installSite();
    swap(site, "/v1/install/", (body) => change(body.toString("utf8")));
    const { code, stderr } = await site.install(WANTED);
    expect([code, stderr]).toEqual([5, expect.stringContaining(words)]);
    await expectNothing(site);
    await expect(lstat(join(site.node.folder, "pwned"))).rejects.toThrow("ENOENT");
  });

  it("does not reach the terminal with more than letters", async () => {
    const site = await installSite();
    const words = "say see `touch pwned` $(touch pwned) %s %n";
    swap(site, "/v1/install/", (body) =>
      body.toString("utf8").replace(/^candidate[^]*^end/m, `refused 3\n${words}\nend`),
    );
    const { code, stderr } = await site.install(WANTED);
    expect([code, stderr]).toEqual([3, `ferry-install: ${words.slice(4)}\n`]);
    swap(site, "/v1/install/", (body) => body.toString("utf8").replace(/^label .*/m, "label \u001b[2J"));
    const escape = await site.install(WANTED);
    expect([escape.code, escape.stderr]).toEqual([5, expect.not.stringContaining("\u001b")]);
  });

  it("of a huge size does not fill the disk", async () => {
    const site = await installSite();
    site.mirror.instead = (request, response) => {
      if (request.url?.startsWith("/v1/install/") !== true) return false;
      const chunk = Buffer.alloc(1 << 20, "x");
      response.on("error", () => undefined);
      const more = (): void => {
        if (!response.destroyed) response.write(chunk, () => setImmediate(more));
      };
      more();
      return true;
    };
    const { code } = await site.install(WANTED);
    expect(code).toBe(4);
    await expectNothing(site);
  });
});

/** bash runs the same tar as dash. */
const TARS = SHELLS.filter(({ name }) => name !== "bash");

describe.each(TARS)("a hostile archive with the right digest, in $name", { timeout: 120_000 }, (shell) => {
  const top = "llama-b11347";
  const cases: [string, TarMember[], string][] = [
    ["a name that goes up", [{ path: `${top}/../../../escaped`, content: "x" }], "must not be unpacked"],
    ["an absolute name", [{ path: "/escaped", content: "x" }], "must not be unpacked"],
    ["a name with a space", [{ path: `${top}/a b`, content: "x" }], "it holds the name"],
    [
      "a link to an absolute path",
      [{ path: `${top}/l`, type: "SymbolicLink", linkpath: "/etc" }],
      "it holds a link to /etc",
    ],
    [
      "a link out of it",
      [{ path: `${top}/l`, type: "SymbolicLink", linkpath: "../escaped" }],
      "leads out of it",
    ],
    [
      "a link that goes down and up",
      [{ path: `${top}/l`, type: "SymbolicLink", linkpath: "a/../../../x" }],
      "down and up again",
    ],
    [
      "a file through a link",
      [
        { path: `${top}/sub/l`, type: "SymbolicLink", linkpath: "../../../../.." },
        { path: `${top}/sub/l/escaped`, content: "x" },
      ],
      "leads out of it",
    ],
    [
      "a hard link out of it",
      [{ path: `${top}/h`, type: "Link", linkpath: "../escaped" }],
      "must not be unpacked",
    ],
    [
      "a hard link to the system",
      [{ path: `${top}/h`, type: "Link", linkpath: "/etc/passwd" }],
      "must not be unpacked",
    ],
    ["a device", [{ path: `${top}/d`, type: "CharacterDevice" }], "no file, folder or link"],
    ["a pipe", [{ path: `${top}/p`, type: "FIFO" }], "no file, folder or link"],
    [
      "a program that becomes another user",
      [{ path: `${top}/s`, content: "x", mode: 0o4755 }],
      "set-user-id",
    ],
    ["two folders at its top", [{ path: "other/x", content: "x" }], "does not have one folder at its top"],
    ["a file at its top", [{ path: "x", content: "x" }], "does not have one folder at its top"],
  ];
  it.each(cases)("%s", async (_name, more, words) => {
    const archives = { [CPU]: archiveWith(serverSaying(), more) };
    const bundles = [practiceBundle({ archives, variants: ["cpu"] })];
    const { install, node } = await installSite({ shell, bundles });
    const { code, stderr } = await install(WANTED);
    expect([code, stderr]).toEqual([5, expect.stringContaining(words)]);
    const names = (await readdir(node.folder, { recursive: true })).filter((name) =>
      name.includes("escaped"),
    );
    expect(names).toEqual([]);
    await expect(lstat("/escaped")).rejects.toThrow("ENOENT");
  });

  it("is none with the links that engines have", async () => {
    const more: TarMember[] = [
      { path: `${top}/lib/deep/real`, content: "x" },
      { path: `${top}/lib/deep/up`, type: "SymbolicLink", linkpath: "../../llama-server" },
      { path: `${top}/here`, type: "SymbolicLink", linkpath: "./lib/deep/real" },
      { path: `${top}/hard`, type: "Link", linkpath: `${top}/lib/deep/real` },
    ];
    const archives = { [CPU]: archiveWith(serverSaying(), more) };
    const site = await installSite({ shell, bundles: [practiceBundle({ archives, variants: ["cpu"] })] });
    const run = await site.install(WANTED);
    expect([run.stderr, run.code]).toEqual(["", 0]);
    expect(await readFile(site.at("engines/llamacpp/current/lib/deep/up"), "utf8")).toContain("#!/bin/sh");
    expect(await readFile(site.at("engines/llamacpp/current/hard"), "utf8")).toBe("x");
  });
});

describe.each(["ed25519", "p256"] as const)("--key with an %s key", { timeout: 120_000 }, (algorithm) => {
  const older = practiceBundle({ name: "old", tags: ["b11300"], variants: ["cpu"] });
  const site = (): Promise<InstallSite> => installSite({ algorithm, bundles: [older, practiceBundle()] });

  it("installs what that key signed, and says so", async () => {
    const { install, pub, pair, ferry } = await site();
    const run = await install([...WANTED, "--key", pub]);
    expect([run.stderr, run.code]).toEqual(["", 0]);
    expect(run.stdout).toContain(`signed:  bundle site-a-1, by key ${pair.verifier.keyId}`);
    expect((await ferry("status")).stdout).toContain(`verified by key ${pair.verifier.fingerprint.slice(7)}`);
  });

  it("refuses what another key signed, and a file that is no key", async () => {
    const one = await site();
    const other = join(one.node.folder, "other.pub");
    await writeFile(other, newPair(algorithm).publicPem);
    const run = await one.install([...WANTED, "--key", other]);
    expect([run.code, run.stderr]).toEqual([5, expect.stringContaining("bundle site-a-1 is not signed by")]);
    await writeFile(other, "no key");
    expect((await one.install([...WANTED, "--key", other])).code).toBe(2);
    await expectNothing(one);
  });

  it.each([
    ["/payload", "the signature of bundle site-a-1 is not one of"],
    ["/manifest", "is another manifest than the one that the mirror gives"],
    ["/document", "is not the one that its manifest names"],
    ["/signatures/", "the signature of bundle site-a-1 is not one of"],
  ])("refuses a changed %s", async (part, words) => {
    const one = await site();
    swap(one, part, (body) => {
      const copy = Buffer.from(body);
      const at = Math.floor(copy.length / 2);
      copy[at] = (copy[at] ?? 0) ^ 1;
      return copy;
    });
    const run = await one.install([...WANTED, "--key", one.pub]);
    expect([run.code, run.stderr]).toEqual([5, expect.stringContaining(words)]);
    await expectNothing(one);
  });

  it("without openssl is refused", async () => {
    const { install, pub } = await installSite({ algorithm, tools: ["curl", "sha256sum"] });
    const run = await install([...WANTED, "--key", pub]);
    expect([run.code, run.stderr]).toEqual([7, expect.stringContaining("--key needs openssl")]);
  });
});

describe("--key, and a mirror that lies about what is signed", { timeout: 120_000 }, () => {
  const older = practiceBundle({ name: "old", tags: ["b11300"], variants: ["cpu"] });
  const site = (): Promise<InstallSite> => installSite({ bundles: [older, practiceBundle()] });

  it.each([
    [
      "another build that is signed as well, under this one's name",
      (plan: string) => plan.replaceAll("x64.tar.gz", "vulkan-x64.tar.gz"),
      "is no file of|has .* with other bytes",
    ],
    [
      "a digest that nobody signed",
      (plan: string) => plan.replace(/^file [0-9a-f]{8}/m, "file 00000000"),
      "is no file of the signed bundle",
    ],
    [
      "a size that nobody signed",
      (plan: string) => plan.replace(/^(file \S+) (\d+)/m, "$1 1$2"),
      "is no file of the signed bundle",
    ],
    [
      "another bundle of the same builder",
      (plan: string) => plan.replace("bundle site-a-1", "bundle old-1"),
      "is no file of the signed bundle old-1",
    ],
    [
      "another program of the build",
      (plan: string) => plan.replace("binary llama-server", "binary llama-cli"),
      "does not say that the binary",
    ],
    [
      "another argument",
      (plan: string) => plan.replace("args --version", "args --list-devices"),
      "is started with --list-devices",
    ],
    [
      "a folder of its own",
      (plan: string) => plan.replace("binary", "dir bin\nbinary"),
      "does not say that the assetDir",
    ],
    [
      "another variant's name",
      (plan: string) => plan.replace(/^candidate 1 cpu/m, "candidate 1 vulkan"),
      "does not list these files as llamacpp b11347 amd64 vulkan",
    ],
    [
      "another version's name",
      (plan: string) => plan.replace(/^candidate 1 cpu .*/m, "candidate 1 cpu b11348"),
      "does not list these files as llamacpp b11348",
    ],
  ])("refuses a plan with %s", async (_name, change, words) => {
    const one = await site();
    swap(one, "/v1/install/", (body) => change(body.toString("utf8")));
    const run = await one.install([...WANTED, "--key", one.pub]);
    expect([run.code, run.stderr]).toEqual([5, expect.stringMatching(words)]);
    await expectNothing(one);
  });

  it("refuses another version that is signed too, in place of the one that was asked for", async () => {
    const one = await site();
    const old = await fetch(`${one.mirror.url}/v1/install/llamacpp/b11300?arch=amd64`, {
      headers: { accept: "text/plain" },
    });
    const plan = (await old.text()).replaceAll(/^version b11300$/gm, "version b11347");
    swap(one, "/v1/install/", () => plan);
    const run = await one.install([...WANTED, "--key", one.pub]);
    expect([run.code, run.stderr]).toEqual([
      5,
      expect.stringContaining("gives llamacpp b11300 in place of b11347"),
    ]);
    await expectNothing(one);
  });

  it("refuses another variant that is signed too, and takes the kind that was asked for", async () => {
    const one = await site();
    const cpu = await fetch(`${one.mirror.url}/v1/install/llamacpp/b11347?arch=amd64&variant=cpu`, {
      headers: { accept: "text/plain" },
    });
    const plan = await cpu.text();
    expect(plan).toContain("candidate 1 cpu");
    const card = ["--driver", "580.65.06", "--cc", "8.9", "--dry-run", "--key", one.pub];
    const kind = await one.install([...WANTED, "--variant", "cuda", ...card]);
    expect([kind.code, kind.stdout]).toEqual([0, expect.stringContaining("cuda-13.4")]);
    swap(one, "/v1/install/", () => plan);
    const run = await one.install([...WANTED, "--variant", "cuda", ...card]);
    expect([run.code, run.stderr]).toEqual([
      5,
      expect.stringContaining("gives the variant cpu in place of cuda"),
    ]);
  });

  it.each(SHELLS.filter(({ busybox }) => !busybox))(
    "$name refuses a plan with a NUL byte, which makes grep blind, and runs nothing of it",
    async (shell) => {
      const one = await installSite({ shell, bundles: [practiceBundle()] });
      const mark = one.at("pwned");
      swap(one, "/v1/install/", (body) =>
        body
          .toString("utf8")
          .replace(/^label .*/m, "label \0")
          .replace(/^candidate 1 .*/m, `candidate 1 cpu b11347"}\\).*#\\1#p;1e touch ${mark};#`),
      );
      const run = await one.install([...WANTED, "--key", one.pub, "--dry-run"]);
      expect([run.code, run.stderr]).toEqual([5, expect.stringContaining("bytes that no plan holds")]);
      await expect(lstat(mark)).rejects.toThrow("ENOENT");
    },
  );

  it("refuses an older version's signed files as the newer version", async () => {
    const one = await site();
    const old = await fetch(`${one.mirror.url}/v1/install/llamacpp/b11300?arch=amd64`, {
      headers: { accept: "text/plain" },
    });
    const plan = (await old.text())
      .replaceAll(/^version b11300$/gm, "version b11347")
      .replace(/^(candidate 1 cpu) .*/m, "$1 b11347");
    swap(one, "/v1/install/", () => plan);
    const run = await one.install([...WANTED, "--key", one.pub]);
    expect([run.code, run.stderr]).toEqual([
      5,
      expect.stringContaining("does not list these files as llamacpp b11347 amd64 cpu"),
    ]);
    await expectNothing(one);
  });
});
