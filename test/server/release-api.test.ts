import { beforeEach, describe, expect, it } from "vitest";
import { digestOf } from "../../src/lib/digest.ts";
import { GithubRelease, GithubReleaseList } from "../../src/wire/github.ts";
import { testMirror } from "../support/mirror-server.ts";
import { type ServedStore, servedStore, type TestRelease } from "../support/served-store.ts";
import { tmpDir } from "../support/tmp.ts";

const LLAMA = "ggml-org/llama.cpp";
const UV: TestRelease = {
  repo: "astral-sh/uv",
  tag: "0.12.23",
  name: null,
  assets: {
    "uv-installer.sh": "#!/bin/sh\n",
    "uv-x86_64-unknown-linux-gnu.tar.gz": "uv",
    "uv-x86_64-pc-windows-msvc.zip": "zip",
    "uv-x86_64-unknown-linux-gnu.tar.gz.sha256": "sum",
  },
};
const PYTHON: TestRelease = {
  repo: "astral-sh/python-build-standalone",
  tag: "20261003",
  assets: {
    "cpython-3.12.15+20261003-x86_64-unknown-linux-gnu-install_only.tar.gz": "py",
    "cpython-3.12.15+20261003-aarch64-apple-darwin-install_only_stripped.tar.gz": "mac",
    "cpython-3.11.16+20261003-x86_64-unknown-linux-gnu-freethreaded+pgo+lto-full.tar.zst": "full",
    SHA256SUMS: "sums",
  },
};
const many = Object.fromEntries(
  Array.from({ length: 42 }, (_, i) => [`asset-${String(i).padStart(2, "0")}`, `${i}`]),
);

let store: ServedStore;
beforeEach(async () => {
  store = await servedStore(await tmpDir());
  await store.add({
    name: "site-a",
    releases: [
      { repo: LLAMA, tag: "b11346", assets: { "llama+x.tar.gz": "older" }, prerelease: true, day: 1 },
      { repo: LLAMA, tag: "b11347", assets: { "llama+x.tar.gz": "newer" }, prerelease: true, day: 2 },
      { repo: "golang/tools", tag: "gopls/v0.23.0", assets: { a: "gopls" } },
      { repo: "example/many", tag: "v1", assets: many },
      UV,
      PYTHON,
    ],
  });
});

describe.each(["", "/api/v3"])("the release API below %j", (api) => {
  it("shows a release as GitHub does, with this mirror's addresses", async () => {
    const mirror = await testMirror(store.root);
    const answer = await mirror.get(`${api}/repos/${LLAMA}/releases/tags/b11347`);
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    const release = answer.json() as Record<string, unknown>;
    const id = String(release["id"]);
    expect(release).toMatchObject({
      url: `${mirror.url}${api}/repos/${LLAMA}/releases/${id}`,
      html_url: `${mirror.url}/${LLAMA}/releases/tag/b11347`,
      assets_url: `${mirror.url}${api}/repos/${LLAMA}/releases/${id}/assets`,
      upload_url: `${mirror.url}${api}/repos/${LLAMA}/releases/${id}/assets{?name,label}`,
      tarball_url: null,
      zipball_url: null,
      tag_name: "b11347",
      name: "b11347",
      draft: false,
      prerelease: true,
      immutable: false,
      created_at: "2026-11-02T09:00:00Z",
      published_at: "2026-11-02T10:00:00Z",
      author: { login: "ggml-org" },
    });
    expect(release["assets"]).toEqual([
      expect.objectContaining({
        name: "llama+x.tar.gz",
        state: "uploaded",
        size: 5,
        digest: digestOf("newer"),
        browser_download_url: `${mirror.url}/${LLAMA}/releases/download/b11347/llama%2Bx.tar.gz`,
      }),
    ]);
  });

  it("is read by our own builder as it reads GitHub's", async () => {
    const mirror = await testMirror(store.root);
    const answer = await mirror.get(`${api}/repos/${LLAMA}/releases`);
    const list = GithubReleaseList.parse(answer.json());
    expect(list.map(({ tag_name }) => tag_name)).toEqual(["b11347", "b11346"]);
    const bytes = await mirror.get(pathOf(answer.text, "browser_download_url"));
    expect(digestOf(bytes.body)).toBe(list[0]?.assets[0]?.digest);
  });

  it.each(["gopls/v0.23.0", "gopls%2Fv0.23.0"])("M6: finds a tag with a slash, written %s", async (tag) => {
    const mirror = await testMirror(store.root);
    const answer = await mirror.get(`${api}/repos/golang/tools/releases/tags/${tag}`);
    expect(GithubRelease.parse(answer.json()).tag_name).toBe("gopls/v0.23.0");
  });

  it("finds repositories in any case and by their former names", async () => {
    const mirror = await testMirror(store.root);
    for (const repo of ["GGML-org/LLAMA.cpp", "ggerganov/llama.cpp"]) {
      expect((await mirror.get(`${api}/repos/${repo}/releases/tags/b11347`)).status).toBe(200);
    }
  });

  it("finds a release by its id, and its asset by the asset's: as JSON and as bytes", async () => {
    const mirror = await testMirror(store.root);
    const { text } = await mirror.get(`${api}/repos/${LLAMA}/releases/tags/b11347`);
    const byTag = GithubRelease.parse(JSON.parse(text));
    const byId = await mirror.get(`${api}/repos/${LLAMA}/releases/${byTag.id}`);
    expect(GithubRelease.parse(byId.json())).toEqual(byTag);
    const path = pathOf(text.slice(text.indexOf('"assets":')), "url");
    const json = await mirror.get(path, { accept: "application/vnd.github+json" });
    expect(json.json()).toMatchObject({ name: "llama+x.tar.gz" });
    const bytes = await mirror.get(path, { accept: "application/octet-stream" });
    expect([bytes.status, bytes.text]).toEqual([200, "newer"]);
    const part = await mirror.get(path, { accept: "application/octet-stream", range: "bytes=3-" });
    expect([part.status, part.text]).toEqual([206, "er"]);
    expect([json.headers.vary, bytes.headers.vary]).toEqual(["Accept", "Accept"]);
  });

  it("M11: cuts lists into pages with absolute links, as clients follow them", async () => {
    const mirror = await testMirror(store.root);
    const release = GithubRelease.parse(
      (await mirror.get(`${api}/repos/example/many/releases/latest`)).json(),
    );
    expect(release.assets).toHaveLength(42);
    const seen: unknown[] = [];
    let next: string | undefined =
      `${mirror.url}${api}/repos/example/many/releases/${release.id}/assets?per_page=20`;
    while (next !== undefined) {
      const { pathname, search } = new URL(next);
      const answer = await mirror.get(`${pathname}${search}`);
      seen.push(...(answer.json() as unknown[]));
      next = /<([^>]+)>; rel="next"/.exec(answer.headers["link"]?.toString() ?? "")?.[1];
    }
    expect(seen).toHaveLength(42);
    const first = await mirror.get(`${api}/repos/example/many/releases/${release.id}/assets`);
    expect(first.json()).toHaveLength(30);
  });

  it("M8: has an ETag, answers 304 to whom has it, and varies by Accept", async () => {
    const mirror = await testMirror(store.root);
    const path = `${api}/repos/${LLAMA}/releases/tags/b11347`;
    const first = await mirror.get(path);
    const { etag = "" } = first.headers;
    expect(etag).toMatch(/^"[0-9a-f]{40}"$/);
    expect(first.headers).toMatchObject({ vary: "Accept", "cache-control": "no-cache" });
    for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await mirror.get(path, { "if-none-match": condition });
      expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, etag]);
    }
    expect((await mirror.get(path, { "if-none-match": '"other"' })).status).toBe(200);
    const head = await mirror.ask("HEAD", path);
    expect([head.status, head.headers["content-length"], head.body.length]).toEqual([
      200,
      `${first.body.length}`,
      0,
    ]);
  });

  it.each([
    ["tags/b1", "b11347, b11346"],
    ["latest", "prerelease"],
    ["1", "b11347"],
    ["assets/1", ""],
    ["NaN", ""],
  ])("M9: 404 for releases/%s is JSON whose message says what there is", async (what, words) => {
    const mirror = await testMirror(store.root);
    const answer = await mirror.get(`${api}/repos/${LLAMA}/releases/${what}`);
    expect(answer.status).toBe(404);
    expect(answer.json()).toMatchObject({
      message: expect.stringContaining(words) as unknown,
      status: "404",
    });
  });

  it("tells that there is no limit", async () => {
    const mirror = await testMirror(store.root);
    const answer = await mirror.get(`${api}/rate_limit`);
    expect(answer.json()).toMatchObject({ resources: { core: { used: 0 } } });
  });
});

describe("other things that clients of GitHub ask", () => {
  it.each(["/api/graphql", "/graphql"])("M10: %s knows no release, so that REST wins", async (path) => {
    const mirror = await testMirror(store.root);
    const answer = await mirror.ask("POST", path, { "content-type": "application/json" });
    expect([answer.status, answer.json()]).toEqual([200, { data: { repository: { release: null } } }]);
  });

  it("M11: the latest uv has a name, its installer and addresses below a proxy's", async () => {
    const mirror = await testMirror(store.root);
    const answer = await mirror.get("/api/v3/repos/astral-sh/uv/releases/latest", {
      "x-forwarded-proto": "https",
      "x-forwarded-host": "mirror.example:8443",
      "x-forwarded-prefix": "/ferry",
    });
    expect(answer.json()).toMatchObject({
      name: "0.12.23",
      url: expect.stringMatching(
        /^https:\/\/mirror\.example:8443\/ferry\/api\/v3\/repos\/astral-sh\/uv\/releases\/\d+$/,
      ) as unknown,
      assets: expect.arrayContaining([
        expect.objectContaining({
          browser_download_url:
            "https://mirror.example:8443/ferry/astral-sh/uv/releases/download/0.12.23/uv-installer.sh",
        }),
      ]) as unknown,
    });
  });

  it("M11: nobody but a trusted proxy says what the mirror's address is", async () => {
    const mirror = await testMirror(store.root, { trust: "none" });
    const answer = await mirror.get("/api/v3/repos/astral-sh/uv/releases/latest", {
      "x-forwarded-host": "evil.example",
    });
    expect(answer.text).not.toContain("evil.example");
  });

  it("M11: --base-url counts before everything", async () => {
    const mirror = await testMirror(store.root, { baseUrl: "https://m.example/x" });
    const { text } = await mirror.get("/repos/astral-sh/uv/releases?per_page=1", {
      "x-forwarded-host": "p.example",
    });
    expect(text).toContain('"https://m.example/x/astral-sh/uv/releases/download/0.12.23/uv-installer.sh"');
    expect(text).not.toContain("p.example");
  });

  it("lists uv's versions for UV_ASTRAL_MIRROR_URL, one a line", async () => {
    const mirror = await testMirror(store.root);
    const answer = await mirror.get("/github/versions/main/v1/uv.ndjson");
    const lines = answer.text.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        version: "0.12.23",
        date: "2026-11-02T10:00:00Z",
        artifacts: [
          {
            platform: "x86_64-pc-windows-msvc",
            variant: "default",
            url: `${mirror.url}/astral-sh/uv/releases/download/0.12.23/uv-x86_64-pc-windows-msvc.zip`,
            archive_format: "zip",
            sha256: digestOf("zip").slice(7),
          },
          expect.objectContaining({ platform: "x86_64-unknown-linux-gnu", archive_format: "tar.gz" }),
        ],
      },
    ]);
  });

  it("lists Python builds by their version, platform and variant", async () => {
    const mirror = await testMirror(store.root);
    const answer = await mirror.get("/github/versions/main/v1/python-build-standalone.ndjson");
    const versions = answer.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Listed);
    const flat = versions.flatMap(({ version, artifacts }) =>
      artifacts.map(({ platform, variant }) => `${version} ${platform} ${variant}`),
    );
    expect(flat).toEqual([
      "3.12.15+20261003 aarch64-apple-darwin install_only_stripped",
      "3.12.15+20261003 x86_64-unknown-linux-gnu install_only",
      "3.11.16+20261003 x86_64-unknown-linux-gnu freethreaded+pgo+lto+full",
    ]);
  });

  it.each(["ty.ndjson", "uv.json", "__proto__.ndjson"])("M9: has no list %s and says so", async (name) => {
    const mirror = await testMirror(store.root);
    expect((await mirror.get(`/github/versions/main/v1/${name}`)).status).toBe(404);
  });
});

interface Listed {
  version: string;
  artifacts: { platform: string; variant: string }[];
}

/** The path of the first address of this name in an answer. */
function pathOf(json: string, name: string): string {
  return new URL(new RegExp(`"${name}": "([^"]+)"`).exec(json)?.[1] ?? "").pathname;
}
