import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/lib/digest.ts";
import { releasesFromFixture } from "../support/upstream/fixture.ts";
import { upstreamForTest } from "../support/upstream/in-test.ts";
import { PracticeRelease } from "../support/upstream/release.ts";

const LLAMA = "ggml-org/llama.cpp";
const CPU = "llama-b11347-bin-ubuntu-x64.tar.gz";

describe("the fixture's releases", () => {
  it("are all there, the empty and the partial one too", () => {
    const sizes = releasesFromFixture().map((seed) => [seed.repo, seed.tag, seed.assets.length]);
    expect(sizes).toHaveLength(17);
    expect(sizes).toContainEqual([LLAMA, "b11027", 0]);
    expect(sizes).toContainEqual([LLAMA, "b11030", 4]);
    expect(sizes).toContainEqual([LLAMA, "b11459", 36]);
  });

  it("have numbers of their own, within a release and across", () => {
    const releases = releasesFromFixture().map((seed) => new PracticeRelease(seed));
    const ids = releases.flatMap((release) => [release.id, ...release.assets.map((asset) => asset.id)]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("scale their files down, though not to nothing, and give the same bytes twice", () => {
    const cudart = "cudart-llama-b11347-bin-ubuntu-cuda-13.4-x64.tar.gz";
    const size = (scale: number): number => {
      const seed = releasesFromFixture({ scale }).find(({ tag }) => tag === "b11347");
      const release = new PracticeRelease(
        seed ?? { repo: LLAMA, tag: "", publishedAt: "2026-01-01", assets: [] },
      );
      return release.asset(cudart).size;
    };
    expect(size(1_000) / 440_236.539).toBeCloseTo(1, 1);
    expect(size(100) / 4_402_365.39).toBeCloseTo(1, 1);
    expect(size(1e9)).toBeGreaterThan(300);
    expect(size(1_000)).toBe(size(1_000));
    expect(() => releasesFromFixture({ scale: 0 })).toThrow(/scale/);
  });

  it("have checksum files that hold for the practice bytes", async () => {
    const upstream = await upstreamForTest();
    const uv = upstream.release("astral-sh/uv", "0.12.23");
    const get = async (name: string): Promise<string> =>
      (await fetch(upstream.downloadUrl("astral-sh/uv", "0.12.23", name))).text();
    const archive = "uv-x86_64-unknown-linux-gnu.tar.gz";
    const hex = uv.asset(archive).content.digest.slice("sha256:".length);
    expect(await get(`${archive}.sha256`)).toBe(`${hex}  ${archive}\n`);
    expect(uv.asset(`${archive}.sha256`).size).toBe(101);
    expect(uv.asset("source.tar.gz.sha256").size).toBe(81);
    const sums = (await get("sha256.sum")).trimEnd().split("\n");
    expect(sums).toHaveLength(19);
    expect(sums).toContain(`${hex}  ${archive}`);
    const python = upstream.release("astral-sh/python-build-standalone", "20261003");
    expect(python.asset("SHA256SUMS").size).toBeGreaterThan(8 * 66);
  });

  it("give the Windows runtimes the same bytes in every release, and the Linux ones not", async () => {
    const upstream = await upstreamForTest();
    const digest = (tag: string, name: string): string | null =>
      upstream.release(LLAMA, tag).asset(name).digest;
    const windows = "cudart-llama-bin-win-cuda-13.4-x64.zip";
    expect(digest("b11056", windows)).toBe(digest("b11347", windows));
    const linux = (tag: string): string => `cudart-llama-${tag}-bin-ubuntu-cuda-12.8-x64.tar.gz`;
    expect(digest("b11056", linux("b11056"))).not.toBe(digest("b11347", linux("b11347")));
  });
});

describe("changes while it is served", () => {
  it("B12: assets go away, and come", async () => {
    const upstream = await upstreamForTest();
    const release = upstream.release(LLAMA, "b11347");
    const url = upstream.downloadUrl(LLAMA, "b11347", CPU);
    release.removeAsset(CPU);
    expect((await fetch(url)).status).toBe(404);
    expect(() => release.asset(CPU)).toThrow(/no asset/);
    release.addAsset(CPU, "back");
    expect(await (await fetch(url)).text()).toBe("back");
    expect(() => release.addAsset(CPU)).toThrow(/already/);
    release.removeAssets(/./);
    expect(release.assets).toEqual([]);
    expect(() => {
      release.removeAssets(/./);
    }).toThrow(/no asset like/);
  });

  it("B13: an upload under way has no bytes to give", async () => {
    const upstream = await upstreamForTest();
    const release = upstream.release(LLAMA, "b11347");
    const url = upstream.downloadUrl(LLAMA, "b11347", CPU);
    const byId = `${upstream.apiUrl}/repos/${LLAMA}/releases/assets/${release.asset(CPU).id}`;
    release.setState(CPU, "starter");
    expect(release.asset(CPU)).toMatchObject({ state: "starter", size: 0, digest: null });
    expect((await fetch(url)).status).toBe(404);
    expect((await fetch(byId, { headers: { accept: "application/octet-stream" } })).status).toBe(404);
    release.setState(CPU, "uploaded");
    expect((await fetch(url)).status).toBe(200);
    expect(release.asset(CPU).size).toBe(release.asset(CPU).content.size);
  });

  it("B15: a CUDA family moves, and then both members are there", async () => {
    const upstream = await upstreamForTest();
    const release = upstream.release(LLAMA, "b11347");
    release.renameAssets("ubuntu-cuda-13.4", "ubuntu-cuda-13.5");
    expect(release.find("llama-b11347-bin-ubuntu-cuda-13.4-x64.tar.gz")).toBeUndefined();
    expect(release.asset("cudart-llama-b11347-bin-ubuntu-cuda-13.5-x64.tar.gz").size).toBeGreaterThan(300);
    release.copyAssets("ubuntu-cuda-13.5", "ubuntu-cuda-13.4");
    expect(release.assets.filter((asset) => asset.name.includes("ubuntu-cuda-13."))).toHaveLength(8);
    expect(() => {
      release.copyAssets("cuda-99", "cuda-100");
    }).toThrow(/named like/);
  });

  it("B18: other bytes under the same name have another id, digest and time; the old address is gone", async () => {
    const upstream = await upstreamForTest();
    const release = upstream.release(LLAMA, "b11347");
    const asset = release.asset(CPU);
    const before = { id: asset.id, digest: asset.digest, updatedAt: asset.updatedAt };
    const old = await fetch(upstream.downloadUrl(LLAMA, "b11347", CPU), { redirect: "manual" });
    release.replaceAsset(CPU, "other");
    expect(asset.id).not.toBe(before.id);
    expect(asset.digest).toBe(digestOf("other"));
    expect(asset.updatedAt > before.updatedAt).toBe(true);
    expect((await fetch(old.headers.get("location") ?? "")).status).toBe(404);
    expect(await (await fetch(upstream.downloadUrl(LLAMA, "b11347", CPU))).text()).toBe("other");
  });

  it("refuses what a test cannot mean: a release twice, a release that is not there", async () => {
    const upstream = await upstreamForTest();
    const seed = { repo: LLAMA, tag: "b11347", publishedAt: "2026-01-01T00:00:00Z", assets: [] };
    expect(() => upstream.addRelease(seed)).toThrow(/exists already/);
    expect(() => upstream.release(LLAMA, "b1")).toThrow(/no release/);
  });
});
