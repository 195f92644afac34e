import { beforeEach, describe, expect, it } from "vitest";
import { digestOf, hexOf } from "../../src/lib/digest.ts";
import { type TestMirror, testMirror } from "../support/mirror-server.ts";
import { damage, type ServedStore, servedStore } from "../support/served-store.ts";
import { tmpDir } from "../support/tmp.ts";

const LLAMA = "ggml-org/llama.cpp";
const WHEEL = "vllm-0.30.0+cu129-cp38-abi3-manylinux_2_28_x86_64.whl";
const RELEASES = [
  { repo: LLAMA, tag: "b11347", assets: { "llama.tar.gz": "0123456789", EMPTY: "" }, prerelease: true },
  { repo: "vllm-project/vllm", tag: "v0.30.0", assets: { [WHEEL]: "a wheel" } },
  { repo: "golang/tools", tag: "gopls/v0.23.0", assets: { "gopls.tar.gz": "gopls" } },
  { repo: "astral-sh/uv", tag: "0.12.23", assets: { "uv-installer.sh": "#!/bin/sh\n" } },
];
const FILE = `/${LLAMA}/releases/download/b11347/llama.tar.gz`;

let store: ServedStore;
beforeEach(async () => {
  store = await servedStore(await tmpDir());
  await store.add({ name: "site-a", releases: RELEASES });
});

describe("files", () => {
  it("M4: are answered directly, with everything a client or a cache may want to know", async () => {
    const mirror = await testMirror(store.root);
    const answer = await mirror.get(FILE);
    expect(answer.status).toBe(200);
    expect(answer.text).toBe("0123456789");
    expect(answer.headers).toMatchObject({
      etag: `"${hexOf(digestOf("0123456789"))}"`,
      "content-length": "10",
      "content-type": "application/octet-stream",
      "content-disposition": expect.stringContaining("llama.tar.gz") as unknown,
      "accept-ranges": "bytes",
      "cache-control": "public, max-age=31536000, immutable",
      "last-modified": "Mon, 02 Nov 2026 10:00:00 GMT",
    });
  });

  it.each([
    ["bytes=0-3", 206, "0123", "bytes 0-3/10"],
    ["bytes=7-", 206, "789", "bytes 7-9/10"],
    ["bytes=-2", 206, "89", "bytes 8-9/10"],
    ["bytes=10-", 416, "", "bytes */10"],
  ])("M5: Range: %s is %i", async (range, status, text, contentRange) => {
    const mirror = await testMirror(store.root);
    const answer = await mirror.get(FILE, { range });
    expect([answer.status, answer.text, answer.headers["content-range"]]).toEqual([
      status,
      text,
      contentRange,
    ]);
  });

  it("M4: HEAD gives GET's headers, and an empty file is one", async () => {
    const mirror = await testMirror(store.root);
    const [head, get] = [await mirror.ask("HEAD", FILE), await mirror.get(FILE)];
    const comparable = ({ date, ...rest }: typeof head.headers): unknown => ({
      ...rest,
      date: date !== undefined,
    });
    expect(comparable(head.headers)).toEqual(comparable(get.headers));
    expect(head.body).toHaveLength(0);
    const empty = await mirror.get(`/${LLAMA}/releases/download/b11347/EMPTY`);
    expect([empty.status, empty.headers["content-length"]]).toEqual([200, "0"]);
  });

  it.each(["+", "%2B", "%2b", "%252B"])(
    "M6: a plus written as %s gives the same bytes and the decoded name",
    async (plus) => {
      const mirror = await testMirror(store.root);
      const path = `/vllm-project/vllm/releases/download/v0.30.0/${WHEEL.replace("+", plus)}`;
      const answer = await mirror.get(path);
      expect([answer.status, answer.text]).toEqual([200, "a wheel"]);
      expect(answer.headers["content-disposition"]).toContain(`filename="${WHEEL}"`);
    },
  );

  it.each([
    "/golang/tools/releases/download/gopls/v0.23.0/gopls.tar.gz",
    "/golang/tools/releases/download/gopls%2Fv0.23.0/gopls.tar.gz",
    "/GoLang/Tools/releases/download/gopls%2fv0.23.0/gopls.tar.gz",
    "//golang/tools/releases/download/gopls/v0.23.0//gopls.tar.gz",
  ])("M6: a tag with a slash, and owners in any case: %s", async (path) => {
    const mirror = await testMirror(store.root);
    expect((await mirror.get(path)).text).toBe("gopls");
  });

  it("by way of latest are not called immutable", async () => {
    const mirror = await testMirror(store.root);
    const answer = await mirror.get("/astral-sh/uv/releases/latest/download/uv-installer.sh");
    expect([answer.status, answer.text, answer.headers["cache-control"]]).toEqual([
      200,
      "#!/bin/sh\n",
      "no-cache",
    ]);
  });

  it("are served to uv at the paths of UV_ASTRAL_MIRROR_URL", async () => {
    const mirror = await testMirror(store.root);
    const answer = await mirror.get("/github/uv/releases/download/0.12.23/uv-installer.sh");
    expect(answer.text).toBe("#!/bin/sh\n");
  });

  it.each(["POST", "PUT", "DELETE"])("are only read: %s is 405", async (method) => {
    const mirror = await testMirror(store.root);
    const answer = await mirror.ask(method, FILE);
    expect([answer.status, answer.headers.allow]).toEqual([405, "GET, HEAD"]);
  });

  it("whose bytes are gone are a 500 in words, in the log and nowhere else", async () => {
    const mirror = await testMirror(store.root);
    await damage(store.blob(digestOf("0123456789")));
    const answer = await mirror.get(FILE);
    expect(answer.status).toBe(500);
    const [entry] = await mirror.logged(1);
    expect(entry).toMatchObject({ status: 500, cut: undefined, failure: expect.any(String) as unknown });
    expect(mirror.said.at(-1)).toMatch(/^warning: cannot serve llama\.tar\.gz/);
    expect((await mirror.get("/astral-sh/uv/releases/latest/download/uv-installer.sh")).status).toBe(200);
  });
});

describe("bad requests", () => {
  it.each([
    ["/..%2f..%2fetc%2fpasswd", 400],
    ["/../../etc/passwd", 400],
    [`/${LLAMA}/releases/download/b11347/..%2fllama.tar.gz`, 400],
    ["/a%00b", 400],
    ["/a%5cb", 400],
    ["/%zz", 400],
    [`/${"a".repeat(8192)}`, 414],
  ])("M7: %s is %i at once, in words", async (path, status) => {
    const mirror = await testMirror(store.root);
    const answer = await mirror.get(path);
    expect(answer.status).toBe(status);
    expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(answer.text).toMatch(/^The (path|address) /);
  });

  it("with a Host that is none are 400, so that no answer carries it", async () => {
    const mirror = await testMirror(store.root);
    const answer = await mirror.get("/v1/bundles", { host: 'x"><script>' });
    expect([answer.status, answer.text.includes("script")]).toEqual([400, false]);
  });
});

describe("what watches and measures the mirror", () => {
  it("answers health, readiness and robots", async () => {
    const mirror = await testMirror(store.root);
    expect((await mirror.get("/healthz")).text).toBe("ok\n");
    expect((await mirror.get("/readyz")).text).toBe("ready: 1 bundles, 5 files\n");
    expect((await mirror.get("/robots.txt")).text).toBe("User-agent: *\nDisallow: /\n");
  });

  it("is not ready while nothing has been imported, and says how to", async () => {
    const mirror = await testMirror((await servedStore(await tmpDir())).root);
    const answer = await mirror.get("/readyz");
    expect([answer.status, answer.text]).toEqual([503, expect.stringContaining("ferry import")]);
  });

  it("is ready with what it had, and says so, while the store cannot be read", async () => {
    const mirror = await testMirror(store.root);
    await damage(`${store.root}/index.json`);
    await mirror.catalog.check();
    const answer = await mirror.get("/readyz");
    expect([answer.status, answer.text]).toEqual([
      200,
      expect.stringMatching(/^degraded since .*index\.json/),
    ]);
    expect((await mirror.get(FILE)).status).toBe(200);
  });

  it("M20: readiness goes first when it stops, and connections are not kept", async () => {
    let draining = false;
    const mirror = await testMirror(store.root, { draining: () => draining });
    expect((await mirror.get("/readyz")).status).toBe(200);
    draining = true;
    const answer = await mirror.get("/readyz");
    expect([answer.status, answer.headers.connection]).toEqual([503, "close"]);
    expect((await mirror.get(FILE)).status).toBe(200);
  });

  it("M9: counts requests, bytes, what was not found by its class, and the store", async () => {
    const mirror = await testMirror(store.root);
    await mirror.get(FILE);
    await mirror.get(FILE, { range: "bytes=0-3" });
    await mirror.get(`/${LLAMA}/releases/download/b1/absent`);
    await mirror.get("/simple/torch/");
    await mirror.get("/v1/bundles");
    await mirror.logged(5);
    const { text } = await mirror.get("/metrics");
    for (const line of [
      'ferry_http_requests_total{method="GET",status="200",kind="file"} 1',
      'ferry_http_requests_total{method="GET",status="206",kind="file"} 1',
      'ferry_http_response_bytes_total{kind="file"} 14',
      'ferry_not_found_total{class="release-asset"} 1',
      'ferry_not_found_total{class="python"} 1',
      "ferry_open_downloads 0",
      "ferry_store_bytes 32",
      "ferry_catalog_files 5",
      "ferry_catalog_stale 0",
      'ferry_bundle_info{name="site-a",counter="1",signed_by="nobody"} 1',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
  });

  it("logs every request once, without its query", async () => {
    const mirror = await testMirror(store.root);
    await mirror.get(`${FILE}?token=secret`, { range: "bytes=0-3", "user-agent": "agent/1" });
    await mirror.logged(1);
    await mirror.get("/absent");
    const entries = await mirror.logged(2);
    expect(entries[0]).toMatchObject({
      client: "127.0.0.1",
      method: "GET",
      path: FILE,
      status: 206,
      bytes: 4,
      range: "bytes=0-3",
      agent: "agent/1",
      cut: undefined,
    });
    expect(entries[1]).toMatchObject({ path: "/absent", status: 404 });
    expect(JSON.stringify(entries)).not.toContain("secret");
  });
});

describe("an import while the mirror runs", () => {
  it("M2: is served at the next look, and what was rendered before is rendered anew", async () => {
    const mirror: TestMirror = await testMirror(store.root);
    const list = `/repos/${LLAMA}/releases`;
    const before = await mirror.get(list);
    expect(before.json()).toHaveLength(1);
    await store.add({ name: "b", releases: [{ repo: LLAMA, tag: "b11348", assets: { a: "new" }, day: 9 }] });
    await mirror.catalog.check();
    const after = await mirror.get(list, { "if-none-match": before.headers.etag ?? "" });
    expect([after.status, (after.json() as { tag_name: string }[]).map(({ tag_name }) => tag_name)]).toEqual([
      200,
      ["b11348", "b11347"],
    ]);
    expect((await mirror.get(`/${LLAMA}/releases/download/b11348/a`)).text).toBe("new");
  });
});
