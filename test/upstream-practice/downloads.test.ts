import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/lib/digest.ts";
import { tmpDir } from "../support/tmp.ts";
import { generatedContent, readAll } from "../support/upstream/content.ts";
import { upstreamForTest } from "../support/upstream/in-test.ts";
import type { Upstream } from "../support/upstream/upstream.ts";
import { run } from "./run.ts";

const LLAMA = "ggml-org/llama.cpp";
const CPU = "llama-b11347-bin-ubuntu-x64.tar.gz";

/** The signed address that a download leads to. */
async function blobAddress(upstream: Upstream, name = CPU): Promise<string> {
  const response = await fetch(upstream.downloadUrl(LLAMA, "b11347", name), { redirect: "manual" });
  expect(response.status).toBe(302);
  return response.headers.get("location") ?? "";
}

describe("a download", () => {
  it("redirects, with a page for people, to a signed address on another origin", async () => {
    const upstream = await upstreamForTest();
    const response = await fetch(upstream.downloadUrl(LLAMA, "b11347", CPU), { redirect: "manual" });
    expect(await response.text()).toMatch(/^<html><body>You are being <a href=".+">redirected<\/a>/);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const target = new URL(response.headers.get("location") ?? "");
    expect(target.origin).toBe(upstream.blobUrl);
    expect([...target.searchParams.keys()]).toEqual(expect.arrayContaining(["sig", "se"]));
  });

  it("gives the bytes with the headers of an object store", async () => {
    const upstream = await upstreamForTest();
    const asset = upstream.release(LLAMA, "b11347").asset(CPU);
    const response = await fetch(upstream.downloadUrl(LLAMA, "b11347", CPU));
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "accept-ranges": "bytes",
      "content-disposition": `attachment; filename=${CPU}`,
      "content-length": String(asset.size),
      "content-type": "application/octet-stream",
      "last-modified": new Date(asset.updatedAt).toUTCString(),
    });
    expect(response.headers.get("etag")).toMatch(/^"0x8D[0-9A-F]+"$/);
    expect(digestOf(new Uint8Array(await response.arrayBuffer()))).toBe(asset.digest);
    expect(upstream.requests.map(({ host, status, bytes }) => [host, status, bytes])).toEqual([
      ["github", 302, expect.any(Number)],
      ["blob", 200, asset.size],
    ]);
  });

  it("answers HEAD as GET, without the body", async () => {
    const upstream = await upstreamForTest();
    const head = await fetch(upstream.downloadUrl(LLAMA, "b11347", CPU), { method: "HEAD" });
    expect(head.status).toBe(200);
    expect(Number(head.headers.get("content-length"))).toBe(
      upstream.release(LLAMA, "b11347").asset(CPU).size,
    );
    expect(upstream.requests.at(-1)?.bytes).toBe(0);
  });

  it.each([
    ["bytes=0-9", 206, [0, 10]],
    ["bytes=100-", 206, [100, undefined]],
    ["bytes=-7", 206, [-7, undefined]],
    ["bytes=5-4", 200, [0, undefined]],
    ["bytes=0-1,4-5", 200, [0, undefined]],
    ["bytes=-0", 416, undefined],
    ["bytes=999999999-", 416, undefined],
  ] as const)("answers %s with %i", async (range, status, slice) => {
    const upstream = await upstreamForTest();
    const bytes = readAll(upstream.release(LLAMA, "b11347").asset(CPU).content);
    const response = await fetch(await blobAddress(upstream), { headers: { range } });
    expect(response.status).toBe(status);
    if (slice === undefined) {
      expect(response.headers.get("content-range")).toBe(`bytes */${bytes.length}`);
      return;
    }
    const part = bytes.subarray(...slice);
    expect(Buffer.from(await response.arrayBuffer()).equals(part)).toBe(true);
    if (status === 206) expect(response.headers.get("content-range")).toMatch(/^bytes \d+-\d+\/\d+$/);
  });

  it("honours conditions: If-Range, If-Match, If-None-Match", async () => {
    const upstream = await upstreamForTest();
    const url = await blobAddress(upstream);
    const etag = (await fetch(url, { method: "HEAD" })).headers.get("etag") ?? "";
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(url, { headers })).status;
    expect(await status({ range: "bytes=1-", "if-range": etag })).toBe(206);
    expect(await status({ range: "bytes=1-", "if-range": '"old"' })).toBe(200);
    expect(await status({ "if-match": '"old"' })).toBe(412);
    expect(await status({ "if-none-match": etag })).toBe(304);
  });

  it("B9: refuses an address that was altered, or that expired", async () => {
    let now = Date.parse("2026-10-01T00:00:00Z");
    const upstream = await upstreamForTest({ now: () => now });
    const url = await blobAddress(upstream);
    expect((await fetch(url.replace(/sig=../, "sig=xx"))).status).toBe(403);
    expect((await fetch(url.replace(/\?.*/, ""))).status).toBe(403);
    now += 299_000;
    expect((await fetch(url)).status).toBe(200);
    now += 1_000;
    expect((await fetch(url)).status).toBe(403);
    expect((await fetch(await blobAddress(upstream))).status).toBe(200);
  });

  it("B10: the blob host refuses a request that carries a token", async () => {
    const upstream = await upstreamForTest();
    const response = await fetch(await blobAddress(upstream), { headers: { authorization: "Bearer t" } });
    expect(response.status).toBe(400);
    expect(upstream.requests.at(-1)).toMatchObject({ host: "blob", authorized: true, status: 400 });
  });

  it("B24: a plus in a name is %2B at the blob host; a bare one is a space there", async () => {
    const upstream = await upstreamForTest();
    const name = "vllm-0.30.0+cu129-cp38-abi3-manylinux_2_28_x86_64.whl";
    const raw = `${upstream.githubUrl}/vllm-project/vllm/releases/download/v0.30.0/${name}`;
    const whole = await fetch(raw);
    expect(whole.status).toBe(200);
    expect(whole.headers.get("content-disposition")).toBe(`attachment; filename=${name}`);
    expect(whole.url).toContain("%2Bcu129");
    expect((await fetch(whole.url.replace("%2Bcu129", "+cu129"))).status).toBe(404);
    expect(upstream.downloadUrl("vllm-project/vllm", "v0.30.0", name)).toContain("%2Bcu129");
  });

  it("says Not Found in plain text, by case of the tag and of the name", async () => {
    const upstream = await upstreamForTest();
    for (const path of ["b1/x", "B11347/" + CPU, "b11347/" + CPU.toUpperCase()]) {
      const response = await fetch(`${upstream.githubUrl}/${LLAMA}/releases/download/${path}`);
      expect(response.status).toBe(404);
      expect(await response.text()).toBe("Not Found");
    }
    const upper = upstream.downloadUrl("GGML-ORG/Llama.CPP", "b11347", CPU);
    expect((await fetch(upper)).status).toBe(200);
  });

  it("knows the latest release of a repository", async () => {
    const upstream = await upstreamForTest();
    const file = await fetch(`${upstream.githubUrl}/astral-sh/uv/releases/latest/download/uv-installer.sh`);
    expect(file.status).toBe(200);
    expect((await fetch(`${upstream.githubUrl}/astral-sh/uv/releases/latest/download/none`)).status).toBe(
      404,
    );
    expect((await fetch(`${upstream.githubUrl}/no/body/releases/latest/download/none`)).status).toBe(404);
  });
});

describe("a source archive", () => {
  it("comes without length and without ranges, the same bytes each time", async () => {
    const upstream = await upstreamForTest();
    const url = `${upstream.githubUrl}/comfy-org/comfyui/archive/refs/tags/v0.39.2.tar.gz`;
    const first = await fetch(url, { headers: { range: "bytes=10-" } });
    expect(first.status).toBe(200);
    expect(first.headers.get("content-length")).toBeNull();
    expect(first.headers.get("accept-ranges")).toBeNull();
    expect(first.headers.get("content-disposition")).toBe("attachment; filename=ComfyUI-0.39.2.tar.gz");
    const digest = digestOf(new Uint8Array(await first.arrayBuffer()));
    expect(digest).toBe(digestOf(new Uint8Array(await (await fetch(url)).arrayBuffer())));
    const other = upstream.addSource("Comfy-Org/ComfyUI", "v0.39.2", Buffer.from("other"));
    expect(await (await fetch(url)).text()).toBe("other");
    expect(other.size).toBe(5);
    expect((await fetch(url.replace("v0.39.2", "v9"))).status).toBe(404);
  });
});

describe("real programs", () => {
  it("curl -L fetches, and resumes with -C - what it has a part of", async () => {
    const upstream = await upstreamForTest();
    const { content, digest, size } = upstream.release(LLAMA, "b11347").asset(CPU);
    const url = upstream.downloadUrl(LLAMA, "b11347", CPU);
    const folder = await tmpDir();
    const whole = join(folder, "whole");
    expect((await run("curl", ["-fsSL", "-o", whole, url])).code).toBe(0);
    expect(digestOf(await readFile(whole))).toBe(digest);

    const part = join(folder, "part");
    await writeFile(part, readAll(content).subarray(0, 1_000));
    expect((await run("curl", ["-fsSL", "-C", "-", "-o", part, url])).code).toBe(0);
    expect(digestOf(await readFile(part))).toBe(digest);
    expect(upstream.requests.at(-1)).toMatchObject({
      range: "bytes=1000-",
      status: 206,
      bytes: size - 1_000,
    });
  });

  it("B8: curl -C - on a complete file gets 416 and fails with 22", async () => {
    const upstream = await upstreamForTest();
    const { content, size } = upstream.release(LLAMA, "b11347").asset(CPU);
    const file = join(await tmpDir(), "complete");
    await writeFile(file, readAll(content));
    const args = ["-fsSL", "-C", "-", "-o", file, upstream.downloadUrl(LLAMA, "b11347", CPU)];
    expect((await run("curl", args)).code).toBe(22);
    expect(upstream.requests.at(-1)).toMatchObject({ range: `bytes=${size}-`, status: 416 });
    expect((await stat(file)).size).toBe(size);
  });

  it("streams generated files of any size without holding them", async () => {
    const upstream = await upstreamForTest({ releases: [] });
    const content = generatedContent("big", 30_000_001);
    const seed = { repo: "o/r", tag: "v1", publishedAt: "2026-01-01T00:00:00Z" };
    upstream.addRelease({ ...seed, assets: [{ name: "big", content }] });
    const file = join(await tmpDir(), "big");
    expect((await run("curl", ["-fsSL", "-o", file, upstream.downloadUrl("o/r", "v1", "big")])).code).toBe(0);
    const bytes = await readFile(file);
    expect(digestOf(bytes)).toBe(content.digest);
    const middle = Buffer.concat([...content.read(1_048_570, 3_000_000)]);
    expect(middle.equals(bytes.subarray(1_048_570, 3_000_000))).toBe(true);
  });
});
