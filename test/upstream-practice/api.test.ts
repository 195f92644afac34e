import { describe, expect, it } from "vitest";
import { GithubRelease, GithubReleaseList } from "../../src/wire/github.ts";
import { upstreamForTest } from "../support/upstream/in-test.ts";

const LLAMA = "ggml-org/llama.cpp";

async function json(url: string, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(url, { headers });
  expect(response.status).toBe(200);
  return response.json();
}

describe("a release by tag", () => {
  it("has the fields of the schema, the fixture's names in order, and the practice bytes' sizes and digests", async () => {
    const upstream = await upstreamForTest();
    const raw = await json(`${upstream.apiUrl}/repos/${LLAMA}/releases/tags/b11347`);
    const release = GithubRelease.parse(raw);
    const held = upstream.release(LLAMA, "b11347");
    expect(release).toMatchObject({ tag_name: "b11347", prerelease: true, draft: false, id: held.id });
    expect(release.assets.map((asset) => asset.name)).toEqual(held.assets.map((asset) => asset.name));
    expect(release.assets.map((asset) => asset.digest)).toEqual(
      held.assets.map((asset) => asset.content.digest),
    );
    expect(release.assets.map((asset) => asset.size)).toEqual(held.assets.map((asset) => asset.content.size));
    expect(new Set(release.assets.map((asset) => asset.id)).size).toBe(31);
    for (const field of [
      "url",
      "html_url",
      "assets_url",
      "upload_url",
      "tarball_url",
      "zipball_url",
      "author",
    ]) {
      expect(raw).toHaveProperty(field);
    }
  });

  it.each(["kustomize/v5.0", "kustomize%2Fv5.0"])("takes a tag with a slash as %s", async (written) => {
    const upstream = await upstreamForTest({ releases: [] });
    const seed = { repo: "k/kustomize", tag: "kustomize/v5.0", publishedAt: "2026-01-01T00:00:00Z" };
    upstream.addRelease({ ...seed, assets: [{ name: "a+b.txt", content: "x" }] });
    const release = GithubRelease.parse(
      await json(`${upstream.apiUrl}/repos/k/kustomize/releases/tags/${written}`),
    );
    const [asset] = release.assets;
    expect(asset?.name).toBe("a+b.txt");
    expect(asset?.browser_download_url).toMatch(/\/kustomize%2Fv5\.0\/a%2Bb\.txt$/);
    expect(await (await fetch(asset?.browser_download_url ?? "")).text()).toBe("x");
  });

  it("takes owner and repository in any case, the tag in its own alone", async () => {
    const { apiUrl } = await upstreamForTest();
    expect((await fetch(`${apiUrl}/repos/GGML-org/LLAMA.cpp/releases/tags/b11347`)).status).toBe(200);
    const wrong = await fetch(`${apiUrl}/repos/${LLAMA}/releases/tags/B11347`);
    expect(wrong.status).toBe(404);
    expect(await wrong.json()).toMatchObject({ message: "Not Found", status: "404" });
    expect((await fetch(`${apiUrl}/repos/no/body/releases/tags/v1`)).status).toBe(404);
  });

  it("B17: says null for the digest of what was uploaded before June 2025, or when told", async () => {
    const upstream = await upstreamForTest({ releases: [] });
    const seed = { repo: "o/r", tag: "v1", assets: [{ name: "a" }] };
    upstream.addRelease({ ...seed, publishedAt: "2025-06-01T00:00:00Z" });
    upstream.addRelease({ ...seed, tag: "v2", publishedAt: "2025-07-01T00:00:00Z" }).setDigest("a", null);
    for (const tag of ["v1", "v2"]) {
      const release = GithubRelease.parse(await json(`${upstream.apiUrl}/repos/o/r/releases/tags/${tag}`));
      expect(release.assets[0]?.digest).toBeNull();
    }
  });

  it("hides drafts and shows them to nobody", async () => {
    const upstream = await upstreamForTest({ releases: [] });
    upstream.addRelease({
      repo: "o/r",
      tag: "v1",
      publishedAt: "2026-01-01T00:00:00Z",
      draft: true,
      assets: [],
    });
    expect((await fetch(`${upstream.apiUrl}/repos/o/r/releases/tags/v1`)).status).toBe(404);
    expect((await fetch(`${upstream.apiUrl}/repos/o/r/releases/latest`)).status).toBe(404);
  });
});

describe("lists", () => {
  it("B14: latest of llama.cpp is v0.5.0, whose one file of 7 bytes names a build that is there", async () => {
    const upstream = await upstreamForTest();
    const latest = GithubRelease.parse(await json(`${upstream.apiUrl}/repos/${LLAMA}/releases/latest`));
    expect(latest).toMatchObject({ tag_name: "v0.5.0", prerelease: false, assets: [{ size: 7 }] });
    const tag = await (await fetch(latest.assets[0]?.browser_download_url ?? "")).text();
    expect(upstream.release(LLAMA, tag.trim()).assets.length).toBeGreaterThan(10);
  });

  it("pages releases, newest first, by absolute links with the repository's number", async () => {
    const { apiUrl } = await upstreamForTest();
    const tags: string[] = [];
    let next: string | undefined = `${apiUrl}/repos/${LLAMA}/releases?per_page=3`;
    while (next !== undefined) {
      const response: Response = await fetch(next);
      const page = GithubReleaseList.parse(await response.json());
      expect(page.length).toBeLessThanOrEqual(3);
      tags.push(...page.map((release) => release.tag_name));
      next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
      if (next !== undefined) expect(next).toMatch(/\/repositories\/\d+\/releases\?per_page=3&page=\d+$/);
    }
    expect(tags).toEqual(["b11459", "b11347", "v0.5.0", "b11056", "b11027", "b11030", "b10883", "b7902"]);
  });

  it("pages assets by 30 unless told otherwise, and says what the last page is", async () => {
    const upstream = await upstreamForTest();
    const url = `${upstream.apiUrl}/repos/astral-sh/uv/releases/${upstream.release("astral-sh/uv", "0.12.23").id}/assets`;
    const first = await fetch(url);
    expect(await first.json()).toHaveLength(30);
    expect(first.headers.get("link")).toMatch(/page=2>; rel="next", <[^>]+page=2>; rel="last"/);
    const second = await fetch(`${url}?page=2`);
    expect(await second.json()).toHaveLength(12);
    expect(second.headers.get("link")).toMatch(/rel="prev".*rel="first"/);
    const whole = await fetch(`${url}?per_page=500`);
    expect(await whole.json()).toHaveLength(42);
    expect(whole.headers.get("link")).toBeNull();
  });

  it("gives a release by number and an asset by number, as JSON or by redirect to its bytes", async () => {
    const upstream = await upstreamForTest();
    const held = upstream.release(LLAMA, "v0.5.0");
    const url = `${upstream.apiUrl}/repos/${LLAMA}/releases`;
    expect(GithubRelease.parse(await json(`${url}/${held.id}`)).tag_name).toBe("v0.5.0");
    const asset = `${url}/assets/${held.asset("nightly-tag.txt").id}`;
    expect(await json(asset)).toMatchObject({ name: "nightly-tag.txt", size: 7, state: "uploaded" });
    const bytes = await fetch(asset, { headers: { accept: "application/octet-stream" } });
    expect(new URL(bytes.url).origin).toBe(upstream.blobUrl);
    expect(await bytes.text()).toBe("b11056\n");
    expect((await fetch(`${url}/assets/1`)).status).toBe(404);
    expect((await fetch(`${url}/1`)).status).toBe(404);
    expect((await fetch(`${url}/1/assets`)).status).toBe(404);
  });
});

describe("headers", () => {
  it("answers 304 to the tag that the same token was given, and does not charge for it", async () => {
    const { apiUrl } = await upstreamForTest();
    const url = `${apiUrl}/repos/astral-sh/uv/releases/latest`;
    const authorization = "Bearer one";
    const first = await fetch(url, { headers: { authorization } });
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
    expect(first.headers.get("x-ratelimit-limit")).toBe("5000");
    expect(first.headers.get("x-ratelimit-remaining")).toBe("4999");
    const again = await fetch(url, { headers: { authorization, "if-none-match": etag } });
    expect(again.status).toBe(304);
    expect(again.headers.get("x-ratelimit-remaining")).toBe("4999");
    expect((await fetch(url, { headers: { "if-none-match": etag } })).status).toBe(200);
  });

  it("refuses when the hour's share is used up, and says until when", async () => {
    const start = Date.parse("2026-10-01T00:00:00Z");
    const { apiUrl } = await upstreamForTest({ limits: { anonymous: 1 }, now: () => start });
    const url = `${apiUrl}/repos/astral-sh/uv/releases/latest`;
    expect((await fetch(url)).status).toBe(200);
    const refused = await fetch(url);
    expect(refused.status).toBe(403);
    expect(refused.headers.get("x-ratelimit-remaining")).toBe("0");
    expect(refused.headers.get("x-ratelimit-reset")).toBe(String(start / 1_000 + 3_600));
    expect((await fetch(url, { headers: { authorization: "Bearer t" } })).status).toBe(200);
    const limits = await json(`${apiUrl}/rate_limit`);
    expect(limits).toMatchObject({ resources: { core: { limit: 1, used: 1, remaining: 0 } } });
  });

  it("takes no request without a User-Agent, and no wrong token", async () => {
    const { apiUrl } = await upstreamForTest({ token: "right" });
    const url = `${apiUrl}/repos/astral-sh/uv/releases/latest`;
    expect((await fetch(url, { headers: { "user-agent": "" } })).status).toBe(403);
    expect((await fetch(url, { headers: { authorization: "Bearer wrong" } })).status).toBe(401);
    expect((await fetch(url, { headers: { authorization: "Bearer right" } })).status).toBe(200);
    expect((await fetch(url, { headers: { authorization: "token right" } })).status).toBe(200);
  });

  it("leads from a renamed owner to the repository's number", async () => {
    const { apiUrl, githubUrl } = await upstreamForTest();
    const moved = await fetch(`${apiUrl}/repos/ggerganov/llama.cpp/releases/tags/b11347`);
    expect(GithubRelease.parse(await moved.json()).tag_name).toBe("b11347");
    expect(moved.url).toMatch(/\/repositories\/\d+\/releases\/tags\/b11347$/);
    const file = await fetch(`${githubUrl}/ggerganov/llama.cpp/releases/download/v0.5.0/nightly-tag.txt`);
    expect(await file.text()).toBe("b11056\n");
  });

  it("has the API on an origin of its own where that is wanted", async () => {
    const upstream = await upstreamForTest({ ownApiHost: true });
    expect(new URL(upstream.apiUrl).origin).not.toBe(new URL(upstream.githubUrl).origin);
    expect((await fetch(`${upstream.apiUrl}/repos/astral-sh/uv/releases/latest`)).status).toBe(200);
  });
});
