import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { InspectReport } from "../../src/bundle/inspect.ts";
import { PlanReport } from "../../src/bundle/plan-report.ts";
import { runFerry } from "../support/run-ferry.ts";
import { type Site, site } from "../support/site.ts";
import { generatedContent, readAll } from "../support/upstream/content.ts";

const LLAMA = "ggml-org/llama.cpp";
const CPU_ASSET = "llama-b11347-bin-ubuntu-x64.tar.gz";
const VULKAN_ASSET = "llama-b11347-bin-ubuntu-vulkan-x64.tar.gz";
const CPU =
  "name: cpu\nengines:\n  - engine: llamacpp\n    versions: [b11347]\n    arch: [amd64]\n    variants: [cpu]\n";
const TWO = CPU.replace("[cpu]", "[cpu, vulkan]");
const assets = (include: string, more = ""): string =>
  `name: extra\nassets:\n  - repo: o/r\n    tag: t1\n    include: ["${include}"]\n${more}`;

async function blobs(at: Site["at"]): Promise<string[]> {
  return (await readdir(join(at("store"), "blobs", "sha256"))).filter((name) => !name.startsWith("."));
}

async function inspect(ferry: Site["ferry"], bundle: string): Promise<InspectReport> {
  const run = await ferry("inspect", bundle, "--json");
  expect(run.code, run.stderr).toBe(0);
  return InspectReport.parse(JSON.parse(run.stdout));
}

describe("what arrives", () => {
  it("B1: a body that ends early is resumed; one that never comes is an error with both lengths, and nothing is stored", async () => {
    const { ferry, spec, upstream, at } = await site();
    upstream.fault({ kind: "cut", after: 100, match: { path: /ubuntu-x64/ } });
    const once = await ferry("build", await spec(CPU), "-o", "a.tar");
    expect(once.code, once.stderr).toBe(0);

    upstream.fault({ kind: "short", length: 0, times: Infinity, match: { path: /vulkan-x64/ } });
    const run = await ferry("build", await spec(TWO), "-o", "b.tar");
    expect(run.code).toBe(4);
    expect(run.stderr).toContain("NET_TRUNCATED");
    expect(run.stderr).toContain(VULKAN_ASSET);
    const { size } = upstream.release(LLAMA, "b11347").asset(VULKAN_ASSET).content;
    expect(run.stderr).toContain(String(size));
    expect(existsSync(at("b.tar"))).toBe(false);
    expect(await blobs(at)).not.toContain(
      upstream.release(LLAMA, "b11347").asset(VULKAN_ASSET).digest?.slice(7),
    );
  });

  it("B2: a page for browsers in place of an archive is never stored; the message gives URL and content type", async () => {
    const { ferry, spec, upstream, at } = await site();
    upstream.fault({ kind: "html", times: Infinity, match: { path: /ubuntu-x64/ } });
    const run = await ferry("build", await spec(CPU), "-o", "a.tar");
    expect(run.code).not.toBe(0);
    expect(run.stderr).toContain("text/html");
    expect(run.stderr).toContain(`/releases/download/b11347/${CPU_ASSET}`);
    expect(await blobs(at)).toEqual([]);
  });

  it("B2: a page that comes once is only a try lost", async () => {
    const { ferry, spec, upstream } = await site();
    upstream.fault({ kind: "html", match: { path: /ubuntu-x64/ } });
    const run = await ferry("build", await spec(CPU), "-o", "a.tar");
    expect(run.code, run.stderr).toBe(0);
  });

  it("B2: one wrong bit is found, retried, and named with both digests", async () => {
    const { ferry, spec, upstream, at } = await site();
    upstream.fault({ kind: "flip", at: 50, times: Infinity, match: { path: /ubuntu-x64/ } });
    const run = await ferry("build", await spec(CPU), "-o", "a.tar");
    expect(run.code).toBe(5);
    expect(run.stderr).toContain("DIGEST_MISMATCH");
    expect(run.stderr).toContain(upstream.release(LLAMA, "b11347").asset(CPU_ASSET).digest);
    expect(await blobs(at)).toEqual([]);
    expect(existsSync(at("a.tar"))).toBe(false);
  });

  it("B6: one failed download of many keeps the others, is listed, and is all that the next run fetches", async () => {
    const { ferry, spec, upstream, at } = await site();
    const path = await spec(CPU.replace("    arch: [amd64]\n    variants: [cpu]\n", ""));
    upstream.fault({
      kind: "answer",
      status: 500,
      times: 12,
      match: { path: /ubuntu-vulkan-arm64/, host: "blob" },
    });
    const run = await ferry("build", path, "-o", "a.tar");
    expect(run.code).toBe(4);
    expect(run.stderr).toMatch(
      /1 file could not be fetched \(the other 9 are verified and stay in the store\)/,
    );
    expect(run.stderr).toContain("llama-b11347-bin-ubuntu-vulkan-arm64.tar.gz: NET_STATUS");
    expect(await blobs(at)).toHaveLength(9);
    const before = upstream.requests.length;
    const { content } = upstream
      .release(LLAMA, "b11347")
      .asset("llama-b11347-bin-ubuntu-vulkan-arm64.tar.gz");
    for (let left = 12; left > 0; left--) {
      const again = await ferry("build", path, "-o", "a.tar");
      if (again.code === 0) break;
    }
    const later = upstream.requests.slice(before).filter((request) => request.host === "blob");
    expect(later.every((request) => request.path.includes("vulkan-arm64"))).toBe(true);
    expect(later.at(-1)?.bytes).toBe(content.size);
    expect(existsSync(at("a.tar"))).toBe(true);
  });

  it("B10: the token goes to the API alone", async () => {
    const { ferry, spec, upstream, env } = await site({ ownApiHost: true });
    env["GITHUB_TOKEN"] = "t0ken";
    const run = await ferry("build", await spec(CPU), "-o", "a.tar");
    expect(run.code, run.stderr).toBe(0);
    for (const request of upstream.requests) expect(request.authorized).toBe(request.host === "api");
  });

  it("B24: a plus in a name is asked for as %2B and carried decoded", async () => {
    const name = "vllm-0.30.0+cu129-cp38-abi3-manylinux_2_28_x86_64.whl";
    const { ferry, spec, upstream } = await site({
      releases: [
        { repo: "o/r", tag: "t1", publishedAt: "2026-10-01T00:00:00Z", assets: [{ name, content: "wheel" }] },
      ],
    });
    const run = await ferry("build", await spec(assets("*.whl")), "-o", "a.tar");
    expect(run.code, run.stderr).toBe(0);
    expect((await inspect(ferry, "a.tar")).files[0]).toMatchObject({
      path: `o/r/releases/download/t1/${name}`,
      url: expect.stringContaining("0.30.0%2Bcu129") as string,
    });
    expect(upstream.requests.some((request) => request.host === "blob" && request.status === 200)).toBe(true);
  });
});

describe("runs that stop", () => {
  it("B3, B4: an interrupted build leaves no bundle and keeps what it has; the next run resumes by range", async () => {
    const { ferry, spec, upstream, at, env, clock, folder } = await site({
      releases: [
        {
          repo: "o/r",
          tag: "t1",
          publishedAt: "2026-10-01T00:00:00Z",
          assets: [
            { name: "big.bin", content: generatedContent("big", 6 * 1024 * 1024) },
            { name: "small.bin", content: "small" },
          ],
        },
      ],
    });
    const path = await spec(assets("*.bin"));
    const stop = new AbortController();
    upstream.fault({ kind: "slow", bytesPerSecond: 4_000_000, match: { path: /big/ } });
    const run = await runFerry(["build", path, "-o", "a.tar"], {
      env,
      clock,
      cwd: folder,
      signal: stop.signal,
      onProgress: (event) => {
        if (event.kind === "advance" && event.id.includes("big")) stop.abort();
      },
    });
    expect(run.code).toBe(130);
    expect(run.stderr).toContain("INTERRUPTED");
    expect((await readdir(folder)).filter((name) => name.includes("tar"))).toEqual([]);
    const before = upstream.requests.length;
    const again = await ferry("build", path, "-o", "a.tar");
    expect(again.code, again.stderr).toBe(0);
    const later = upstream.requests.slice(before).filter((request) => request.host === "blob");
    expect(later).toHaveLength(1);
    expect(later[0]).toMatchObject({
      status: 206,
      range: expect.stringMatching(/^bytes=[1-9]\d+-/) as string,
    });
    expect(existsSync(at("a.tar"))).toBe(true);
  });

  it("B5: a foreign file under a blob's name is not believed; it is hashed, replaced, and said so", async () => {
    const { ferry, spec, upstream, at } = await site();
    const { digest, content } = upstream.release(LLAMA, "b11347").asset(CPU_ASSET);
    await mkdir(join(at("store"), "blobs", "sha256"), { recursive: true });
    await writeFile(join(at("store"), "blobs", "sha256", digest?.slice(7) ?? ""), Buffer.alloc(content.size));
    const run = await ferry("build", await spec(CPU), "-o", "a.tar");
    expect(run.code, run.stderr).toBe(0);
    expect(run.stderr).toContain("the store's copy was damaged");
    const stored = await readFile(join(at("store"), "blobs", "sha256", digest?.slice(7) ?? ""));
    expect(stored.equals(readAll(content))).toBe(true);
  });

  it("B20: a build that cannot fit is refused before the first download", async () => {
    const huge = { size: 2 ** 52, digest: `sha256:${"0".repeat(64)}` as const, read: () => [] };
    const { ferry, spec, upstream } = await site({
      releases: [
        {
          repo: "o/r",
          tag: "t1",
          publishedAt: "2026-10-01T00:00:00Z",
          assets: [{ name: "huge.bin", content: huge }],
        },
      ],
    });
    const run = await ferry("build", await spec(assets("huge.bin")), "-o", "a.tar");
    expect(run.code).toBe(6);
    expect(run.stderr).toContain("DISK_FULL");
    expect(run.stderr).toContain("Nothing was downloaded");
    expect(upstream.requests.every((request) => request.host === "api")).toBe(true);
  });
});

describe("releases that are not whole", () => {
  it("B12: every absent build is listed, and there is no bundle; --allow-missing records them in the document", async () => {
    const { ferry, spec, upstream, at } = await site();
    const release = upstream.release(LLAMA, "b11347");
    release.removeAsset(VULKAN_ASSET);
    release.removeAsset("llama-b11347-bin-ubuntu-arm64.tar.gz");
    const path = await spec(
      CPU.replace("    arch: [amd64]\n    variants: [cpu]\n", "    variants: [cpu, vulkan]\n"),
    );
    const plan = await ferry("plan", path, "--json");
    expect(plan.code).toBe(3);
    expect(
      PlanReport.parse(JSON.parse(plan.stdout)).missing.map((gap) => `${gap.arch} ${gap.variant}`),
    ).toEqual(["amd64 vulkan", "arm64 cpu"]);
    const run = await ferry("build", path, "-o", "a.tar");
    expect(run.code).toBe(3);
    expect(run.stderr).toContain("UPSTREAM_MISSING_ASSETS");
    expect(run.stderr).toContain(VULKAN_ASSET);
    expect(run.stderr).toContain("llama-b11347-bin-ubuntu-arm64.tar.gz");
    expect(existsSync(at("a.tar"))).toBe(false);
    const allowed = await ferry("build", path, "-o", "a.tar", "--allow-missing");
    expect(allowed.code, allowed.stderr).toBe(0);
    expect((await inspect(ferry, "a.tar")).missing).toHaveLength(2);
  });

  it.each([
    ["no assets at all", "b11027"],
    ["runtimes without builds", "b11030"],
  ])("B12: a release with %s is refused, also with --allow-missing", async (_what, version) => {
    const { ferry, spec } = await site();
    const run = await ferry(
      "build",
      await spec(CPU.replace("b11347", version)),
      "-o",
      "a.tar",
      "--allow-missing",
    );
    expect(run.code).toBe(3);
    expect(run.stderr).toContain("nothing to carry");
  });

  it("B12: a version that does not exist is named", async () => {
    const { ferry, spec } = await site();
    const run = await ferry("plan", await spec(CPU.replace("b11347", "b99999")));
    expect(run.code).toBe(3);
    expect(run.stderr).toContain("UPSTREAM_NO_RELEASE: ggml-org/llama.cpp has no release b99999");
  });

  it.each([
    ["in state starter", { state: "starter" as const }],
    ["of 0 bytes", { state: "uploaded" as const, size: 0 }],
  ])(
    "B13: an asset %s is not whole, and never stored",
    async (_what, { state, size }: { state: "starter" | "uploaded"; size?: number }) => {
      const { ferry, spec, upstream, at } = await site();
      upstream.release(LLAMA, "b11347").setState(CPU_ASSET, state, size);
      const run = await ferry("build", await spec(CPU), "-o", "a.tar");
      expect(run.code).toBe(3);
      expect(run.stderr).toContain("its upload has not finished");
      expect(await blobs(at)).toEqual([]);
      upstream.release(LLAMA, "b11347").setState(CPU_ASSET, "uploaded");
      expect((await ferry("build", await spec(CPU), "-o", "a.tar")).code).toBe(0);
    },
  );

  it("B13: a list that grows while files are fetched stops the build", async () => {
    const { ferry, spec, upstream, at } = await site({
      releases: [
        {
          repo: "o/r",
          tag: "t1",
          publishedAt: "2026-10-01T00:00:00Z",
          assets: [
            { name: "a.bin", content: "a" },
            { name: "b.bin", content: "b" },
          ],
        },
      ],
    });
    upstream.fault({ kind: "hidden", assets: /^b\.bin$/, match: { path: /releases\/tags/ } });
    const run = await ferry("build", await spec(assets("*.bin")), "-o", "a.tar");
    expect(run.code).toBe(3);
    expect(run.stderr).toContain("UPSTREAM_UPLOADING");
    expect(run.stderr).toContain("b.bin");
    expect(existsSync(at("a.tar"))).toBe(false);
    const again = await ferry("build", await spec(assets("*.bin")), "-o", "a.tar");
    expect(again.code, again.stderr).toBe(0);
    expect((await inspect(ferry, "a.tar")).files).toHaveLength(2);
  });

  it("B14: latest llama.cpp is the newest complete bNNNN, whatever GitHub calls latest", async () => {
    const { ferry, spec } = await site();
    const run = await ferry("plan", await spec(CPU.replace("b11347", "latest")), "--json");
    expect(run.code, run.stderr).toBe(0);
    const [build] = PlanReport.parse(JSON.parse(run.stdout)).builds;
    expect(build).toMatchObject({ asked: "latest", version: expect.stringMatching(/^b\d+$/) as string });
    expect(Number(build?.version.slice(1))).toBeGreaterThanOrEqual(11347);
  });

  it("B14: asking for v0.5.0 says in words what it is", async () => {
    const { ferry, spec } = await site();
    const run = await ferry("plan", await spec(CPU.replace("b11347", "v0.5.0")));
    expect(run.code).toBe(3);
    expect(run.stderr).toContain("UPSTREAM_NOT_A_BUILD");
    expect(run.stderr).toContain("nightly-tag.txt");
  });

  it("B15: the CUDA family follows the release; both members or none is an error naming the candidates", async () => {
    const cuda = CPU.replace("[cpu]", "[cuda-13]");
    const moved = await site();
    const plan = await moved.ferry("plan", await moved.spec(cuda), "--json");
    expect(PlanReport.parse(JSON.parse(plan.stdout)).builds[0]?.variant).toBe("cuda-13.4");

    const both = await site();
    both.upstream.release(LLAMA, "b11347").copyAssets("cuda-13.4", "cuda-13.3");
    const twice = await both.ferry("build", await both.spec(cuda), "-o", "a.tar");
    expect(twice.code).toBe(3);
    expect(twice.stderr).toContain("cuda-13.3");
    expect(twice.stderr).toContain("cuda-13.4");

    const none = await site();
    none.upstream.release(LLAMA, "b11347").removeAssets(/cuda-13\.4/);
    const gone = await none.ferry("build", await none.spec(cuda), "-o", "a.tar");
    expect(gone.code).toBe(3);
    expect(gone.stderr).toContain("cuda-12.8");
  });

  it("B16: a CUDA build is one server archive and its own runtime", async () => {
    const { ferry, spec } = await site();
    const run = await ferry("plan", await spec(CPU.replace("[cpu]", "[cuda]")), "--json");
    for (const build of PlanReport.parse(JSON.parse(run.stdout)).builds) {
      const names = build.files.map((path) => path.split("/").at(-1));
      expect(names).toEqual([
        `llama-b11347-bin-ubuntu-${build.variant}-x64.tar.gz`,
        `cudart-llama-b11347-bin-ubuntu-${build.variant}-x64.tar.gz`,
      ]);
    }
  });
});

describe("why a digest is believed", () => {
  const OLD = {
    repo: "o/r",
    tag: "t1",
    publishedAt: "2024-01-01T00:00:00Z",
    assets: [{ name: "old.bin", content: "old" }],
  };
  const HEX = "cba06b5736faf67e54b07b561eae94395e774c517a7d910a54369e1263ccfbd4";

  it("B17: an asset without a digest is refused: publishes no checksum, and never a mismatch", async () => {
    const { ferry, spec } = await site({ releases: [OLD] });
    const run = await ferry("build", await spec(assets("old.bin")), "-o", "a.tar");
    expect(run.code).toBe(3);
    expect(run.stderr).toContain("UPSTREAM_NO_CHECKSUM");
    expect(run.stderr).toContain("publishes no checksum");
    expect(run.stderr).not.toMatch(/mismatch/i);
  });

  it.each([
    ["spec", `    sha256: { old.bin: ${HEX} }\n`, []],
    ["checksum-file", "    checksums: SUMS\n", [{ name: "SUMS", content: `${HEX}  old.bin\n` }]],
    ["computed", "    unverified: [old.bin]\n", []],
  ])("B17: trust source %s stands in the document", async (trust, more, extra) => {
    const { ferry, spec } = await site({ releases: [{ ...OLD, assets: [...OLD.assets, ...extra] }] });
    const run = await ferry("build", await spec(assets("old.bin", more)), "-o", "a.tar");
    expect(run.code, run.stderr).toBe(0);
    expect((await inspect(ferry, "a.tar")).files[0]).toMatchObject({ digest: `sha256:${HEX}`, trust });
  });

  it("B17: a digest of the spec that is not the bytes' is a mismatch with both", async () => {
    const { ferry, spec } = await site({ releases: [OLD] });
    const run = await ferry(
      "build",
      await spec(assets("old.bin", `    sha256: { old.bin: ${"a".repeat(64)} }\n`)),
      "-o",
      "a.tar",
    );
    expect(run.code).toBe(5);
    expect(run.stderr).toContain("DIGEST_MISMATCH");
    expect(run.stderr).toContain(HEX);
    expect(run.stderr).toContain("a".repeat(64));
  });

  it("B18: other bytes than in the lock stop the build, with both digests and dates; only --accept-changed goes on", async () => {
    const { ferry, spec, upstream } = await site();
    const path = await spec(CPU);
    expect((await ferry("plan", path, "--write-lock", "l.json")).code).toBe(0);
    const { digest: before } = upstream.release(LLAMA, "b11347").asset(CPU_ASSET);
    upstream.release(LLAMA, "b11347").replaceAsset(CPU_ASSET, Buffer.from("other bytes"));
    const { digest: now, updatedAt } = upstream.release(LLAMA, "b11347").asset(CPU_ASSET);
    const run = await ferry("build", path, "-o", "a.tar", "--locked", "l.json");
    expect(run.code).toBe(5);
    expect(run.stderr).toContain("asset replaced upstream");
    for (const words of [before, now, updatedAt]) expect(run.stderr).toContain(words);
    const accepted = await ferry("build", path, "-o", "a.tar", "--locked", "l.json", "--accept-changed");
    expect(accepted.code, accepted.stderr).toBe(0);
  });

  it("B18: other bytes than in an earlier bundle stop the build: one of this store, or one given with --previous", async () => {
    const { ferry, spec, upstream, at } = await site();
    const path = await spec(CPU);
    expect((await ferry("build", path, "-o", "a.tar")).code).toBe(0);
    upstream.release(LLAMA, "b11347").replaceAsset(CPU_ASSET, Buffer.from("other bytes"));
    const known = await ferry("build", path, "-o", "b.tar");
    expect(known.code).toBe(5);
    expect(known.stderr).toContain("bundle cpu 1, built from this store");
    const elsewhere = await ferry("build", path, "-o", "b.tar", "--store", at("fresh"));
    expect(elsewhere.code).toBe(0);
    const given = await ferry("build", path, "-o", "c.tar", "--store", at("fresher"), "--previous", "a.tar");
    expect(given.code).toBe(5);
    expect(given.stderr).toContain("bundle cpu 1 (a.tar)");
  });

  it("B18: --locked refuses whatever else differs: a changed spec, an asset uploaded anew", async () => {
    const { ferry, spec, upstream } = await site();
    await ferry("plan", await spec(CPU), "--write-lock", "l.json");
    const other = await ferry("build", await spec(TWO), "-o", "a.tar", "--locked", "l.json");
    expect(other.code).toBe(5);
    expect(other.stderr).toContain("LOCK_MISMATCH");
    const release = upstream.release(LLAMA, "b11347");
    release.replaceAsset(CPU_ASSET, readAll(release.asset(CPU_ASSET).content));
    const anew = await ferry("build", await spec(CPU), "-o", "a.tar", "--locked", "l.json");
    expect(anew.code).toBe(5);
    expect(anew.stderr).toContain("asset id");
  });
});

describe("what is nobody's to replace, and what nobody could read", () => {
  it.each(["k.key", "spec.yaml", "l.json", "notes.txt"])(
    "an output never takes the place of %s",
    async (name) => {
      const { ferry, spec, at, upstream } = await site();
      const path = await spec(CPU);
      await ferry("keys", "new", "--out", "k");
      await ferry("plan", path, "--write-lock", "l.json");
      await writeFile(at("notes.txt"), "mine");
      const before = await readFile(at(name));
      const asked = upstream.requests.length;
      const built = await ferry("build", path, "-o", name, "--sign-key", "k.key");
      expect(built.code).toBe(7);
      expect(built.stderr).toContain("FILE_UNWRITABLE");
      const planned = name === "l.json" ? undefined : await ferry("plan", path, "--write-lock", name);
      expect(planned?.code ?? 7).toBe(7);
      expect(await readFile(at(name))).toEqual(before);
      expect(upstream.requests).toHaveLength(asked);
    },
  );

  it("replaces an older bundle and an older lock, and looks for the folder before it fetches", async () => {
    const { ferry, spec, upstream } = await site();
    const path = await spec(CPU);
    for (let round = 0; round < 2; round++) {
      expect((await ferry("plan", path, "--write-lock", "l.json")).code).toBe(0);
      expect((await ferry("build", path, "-o", "a.tar")).code).toBe(0);
    }
    const asked = upstream.requests.length;
    expect((await ferry("build", path, "-o", "no/such/a.tar")).code).toBe(7);
    expect(upstream.requests).toHaveLength(asked);
  });

  it.each(["a\\b", "\u001b[31mred", "a\u0000b", "/etc/passwd"])(
    "a release that names an asset %j is refused when it is planned",
    async (name) => {
      const { ferry, spec } = await site({
        releases: [
          { repo: "o/r", tag: "t1", publishedAt: "2026-10-01T00:00:00Z", assets: [{ name, content: "x" }] },
        ],
      });
      const run = await ferry("plan", await spec(assets("**")));
      expect(run.code).toBe(3);
      expect(run.stderr).not.toContain("\u001b");
      expect(run.stdout).toBe("");
    },
  );

  it.each([
    ["another tag", { tag_name: "v2" }],
    ["a tag that climbs", { tag_name: "../../v2" }],
  ])("an answer about %s is refused", async (_what, change) => {
    const { ferry, spec, upstream } = await site({
      releases: [
        {
          repo: "o/r",
          tag: "t1",
          publishedAt: "2026-10-01T00:00:00Z",
          assets: [{ name: "a.bin", content: "x" }],
        },
      ],
    });
    const body = { id: 1, draft: false, prerelease: false, published_at: null, assets: [], ...change };
    upstream.fault({
      kind: "answer",
      status: 200,
      contentType: "application/json",
      body: JSON.stringify(body),
      match: { path: /releases\/tags/ },
    });
    const run = await ferry("plan", await spec(assets("*.bin")));
    expect(run.code).toBe(3);
    expect(run.stderr).toContain("UPSTREAM_MALFORMED");
  });

  it("a YAML file that unfolds without end is a fault of the file", async () => {
    const { ferry, spec } = await site();
    const keys = ["b", "c", "d", "e", "f", "g", "h"];
    const lines = keys.map((key, i) => `${key}: &${key} [${`*${keys[i - 1] ?? "a"}, `.repeat(20)}]`);
    const bomb = ["a: &a [x, x]", ...lines];
    const run = await ferry("plan", await spec(`${bomb.join("\n")}\n`));
    expect(run.code).toBe(2);
    expect(run.stderr).toContain("SPEC_INVALID");
  });
});
