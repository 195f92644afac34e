import { describe, expect, it } from "vitest";
import { metadataPath } from "../../../src/bundle/document-python.ts";
import { digestOf, hexOf } from "../../../src/lib/digest.ts";
import { encodePath } from "../../../src/wire/github.ts";
import { type TestMirror, type TestMirrorOptions, testMirror } from "../../support/mirror-server.ts";
import { type PythonBundle, pythonBundle, UPLOADED, wheelPath } from "../../support/python-bundle.ts";
import { makeWheel } from "../../support/python-index/wheel.ts";
import { damage, type ImportNotes, servedStore } from "../../support/served-store.ts";
import { tmpDir } from "../../support/tmp.ts";

const JSON_TYPE = "application/vnd.pypi.simple.v1+json";
const small = makeWheel({ name: "Markdown_It.py", version: "1.0", requiresPython: ">=3.8" });
const newer = makeWheel({ name: "markdown-it-py", version: "1.1" });
const torch = makeWheel({ name: "torch", version: "2.10.0+cu129", tag: "cp312-cp312-linux_x86_64" });

async function mirrorOf(
  bundles: readonly (readonly [PythonBundle, ImportNotes?])[],
  options: TestMirrorOptions = {},
): Promise<TestMirror> {
  const store = await servedStore(await tmpDir());
  for (const [bundle, notes] of bundles) await store.add(pythonBundle(bundle), notes);
  return testMirror(store.root, options);
}

const site: PythonBundle = {
  name: "site-a",
  wheels: [
    { distribution: small, yanked: "broken" },
    { distribution: newer },
    { distribution: torch, index: "cu129" },
  ],
};

describe("a project's page", () => {
  it("is JSON to whom prefers it, with everything that resolvers need", async () => {
    const mirror = await mirrorOf([[site]]);
    const answer = await mirror.get("/simple/markdown-it-py/", { accept: `${JSON_TYPE}, text/html;q=0.1` });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      "content-type": JSON_TYPE,
      vary: "Accept",
      "cache-control": "no-cache",
    });
    const path = wheelPath({ distribution: small });
    expect(answer.json()).toEqual({
      meta: { "api-version": "1.4" },
      name: "markdown-it-py",
      versions: ["1.0", "1.1"],
      files: [
        {
          filename: small.filename,
          url: `../../${encodePath(path)}`,
          hashes: { sha256: hexOf(small.digest) },
          size: small.bytes.length,
          "upload-time": UPLOADED,
          "requires-python": ">=3.8",
          yanked: "broken",
          "core-metadata": { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
        },
        expect.objectContaining({ filename: newer.filename, yanked: false }),
      ],
    });
  });

  it("is HTML to anybody else", async () => {
    const mirror = await mirrorOf([[site]]);
    for (const headers of [{}, { accept: "*/*" }, { accept: "text/html" }] as Record<string, string>[]) {
      const { headers: got, text } = await mirror.get("/simple/markdown-it-py/", headers);
      expect(got["content-type"]).toBe("text/html");
      expect(text).toContain(`data-upload-time="${UPLOADED}"`);
    }
    const { headers: got } = await mirror.get("/simple/markdown-it-py/", {
      accept: "application/vnd.pypi.simple.latest+html",
    });
    expect(got["content-type"]).toBe("application/vnd.pypi.simple.v1+html");
  });

  it("has a strong tag for each format, answers it with 304 and HEAD without a body", async () => {
    const mirror = await mirrorOf([[site]]);
    const tags = new Set<string>();
    for (const accept of [JSON_TYPE, "application/vnd.pypi.simple.v1+html", "text/html"]) {
      for (let asked = 0; asked < 2; asked++) {
        const first = await mirror.get("/simple/torch/", { accept });
        expect(first.status).toBe(404);
        const { headers } = await mirror.get("/simple/markdown-it-py/", { accept });
        const etag = String(headers.etag);
        expect(etag).toMatch(/^"[0-9a-f]+"$/);
        tags.add(etag);
        const again = await mirror.get("/simple/markdown-it-py/", { accept, "if-none-match": etag });
        expect([again.status, again.body.length]).toEqual([304, 0]);
        const head = await mirror.ask("HEAD", "/simple/markdown-it-py/", { accept });
        expect([head.status, head.body.length, head.headers["content-length"]]).toEqual([
          200,
          0,
          headers["content-length"],
        ]);
      }
    }
    expect(tags.size).toBe(3);
  });

  it("of a second index stands there alone, with its name as it is read in addresses", async () => {
    const mirror = await mirrorOf([[site]]);
    const answer = await mirror.get("/whl/cu129/torch/", { accept: JSON_TYPE });
    expect(answer.json()).toMatchObject({
      versions: ["2.10.0+cu129"],
      files: [{ filename: torch.filename, url: `../../../whl/cu129/${torch.filename.replace("+", "%2B")}` }],
    });
    expect((await mirror.get("/whl/cu126/torch/")).status).toBe(404);
    expect((await mirror.get("/simple/torch/")).status).toBe(404);
  });

  it("P9 links lead to the files, from wherever the page was reached", async () => {
    const mirror = await mirrorOf([[site]]);
    for (const page of ["/simple/markdown-it-py/", "/whl/cu129/torch/"]) {
      const answer = await mirror.get(page, { accept: JSON_TYPE });
      const [file] = (answer.json() as { files: { url: string; hashes: { sha256: string } }[] }).files;
      for (const prefix of ["", "/ferry", "/a/b"]) {
        const url = new URL(file?.url ?? "", `http://m${prefix}${page}`);
        expect(url.pathname.startsWith(`${prefix}/`)).toBe(true);
        const answer = await mirror.get(url.pathname.slice(prefix.length));
        expect(answer.status).toBe(200);
        expect(answer.headers.etag).toBe(`"${file?.hashes.sha256 ?? ""}"`);
      }
    }
  });
});

describe("the list of projects", () => {
  it("is there for each index, in both formats", async () => {
    const mirror = await mirrorOf([[site]]);
    const list = await mirror.get("/simple/", { accept: JSON_TYPE });
    expect(list.json()).toEqual({ meta: { "api-version": "1.4" }, projects: [{ name: "markdown-it-py" }] });
    expect((await mirror.get("/whl/cu129/")).text).toContain('<a href="torch/">torch</a>');
    expect((await mirror.get("/whl/cu126/")).status).toBe(404);
  });

  it("is empty where no wheel is on the default index, and absent where there is no Python at all", async () => {
    const mirror = await mirrorOf([[{ name: "gpu", wheels: [{ distribution: torch, index: "cu129" }] }]]);
    expect((await mirror.get("/simple/", { accept: JSON_TYPE })).json()).toMatchObject({ projects: [] });
    const store = await servedStore(await tmpDir());
    await store.add({ name: "plain", files: { "o/r/releases/download/v1/a.tar.gz": "1" } });
    const without = await testMirror(store.root);
    for (const path of [
      "/simple/",
      "/simple/idna/",
      "/whl/cu129/",
      "/pypi/idna/json",
      "/python-downloads.json",
    ]) {
      const answer = await without.get(path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
    }
  });
});

describe("P9 an address that is not the page's own", () => {
  it.each([
    ["/simple", "/simple/"],
    ["/simple/markdown-it-py", "/simple/markdown-it-py/"],
    ["/simple/Markdown_It.py", "/simple/markdown-it-py/"],
    ["/simple/Markdown_It.py/", "/simple/markdown-it-py/"],
    ["/simple//markdown-it-py/", "/simple/markdown-it-py/"],
    ["//simple/markdown-it-py/", "/simple/markdown-it-py/"],
    ["/simple%2Fmarkdown-it-py/", "/simple/markdown-it-py/"],
    ["/simple/markdown-it-py?x=1", "/simple/markdown-it-py/"],
    ["/whl/cu129", "/whl/cu129/"],
    ["/whl/cu129/Torch", "/whl/cu129/torch/"],
  ])("%s is redirected to %s, behind a prefix too", async (asked, to) => {
    const mirror = await mirrorOf([[site]]);
    const { status, headers } = await mirror.get(asked, { accept: JSON_TYPE });
    expect(status).toBe(301);
    for (const prefix of ["", "/ferry"]) {
      const url = new URL(String(headers.location), `http://m${prefix}${asked}`);
      expect(url.href).toBe(`http://m${prefix}${to}`);
    }
    expect((await mirror.get(to, { accept: JSON_TYPE })).status).toBe(200);
  });

  it("is 404, and no redirect, where there is no such project", async () => {
    const mirror = await mirrorOf([[site]]);
    for (const path of ["/simple/No_Such", "/simple/no-such/", "/whl/cu129/no-such/"]) {
      expect((await mirror.get(path)).status).toBe(404);
    }
  });
});

describe("of several bundles", () => {
  it("each project's page has the wheels of all", async () => {
    const mirror = await mirrorOf([
      [{ name: "one", wheels: [{ distribution: small }] }],
      [{ name: "two", wheels: [{ distribution: newer }] }],
    ]);
    const answer = await mirror.get("/simple/markdown-it-py/", { accept: JSON_TYPE });
    expect(answer.json()).toMatchObject({ versions: ["1.0", "1.1"], files: [{}, {}] });
  });

  it("P17 the last imported says what a wheel is, whatever the order of their names", async () => {
    const wheel = { distribution: small };
    const mirror = await mirrorOf([
      [
        { name: "b", wheels: [{ ...wheel, yanked: true, uploadedAt: "2026-10-01T00:00:00Z" }] },
        { importedAt: "2026-11-05T08:00:00.000Z" },
      ],
      [{ name: "c", wheels: [wheel] }, { importedAt: "2026-11-04T08:00:00.000Z" }],
    ]);
    const answer = await mirror.get("/simple/markdown-it-py/", { accept: JSON_TYPE });
    expect(answer.json()).toMatchObject({ files: [{ yanked: true, "upload-time": "2026-10-01T00:00:00Z" }] });
  });

  it("a wheel that another bundle has replaced, or that has not come yet, is on no page", async () => {
    const path = "packages/aa/bb/cc/x-1.0-py3-none-any.whl";
    const mirror = await mirrorOf([
      [{ name: "one", wheels: [{ distribution: small, path }] }],
      [
        { name: "two", wheels: [], files: { [path]: "another's bytes" } },
        { importedAt: "2026-11-05T08:00:00.000Z" },
      ],
      [
        { name: "three", wheels: [{ distribution: newer }] },
        { without: [wheelPath({ distribution: newer })] },
      ],
    ]);
    expect((await mirror.get("/simple/markdown-it-py/")).status).toBe(404);
  });
});

describe("P8 metadata", () => {
  it("is served byte for byte with the digest that the page gives, `+` written either way", async () => {
    const mirror = await mirrorOf([[site]]);
    const answer = await mirror.get("/whl/cu129/torch/", { accept: JSON_TYPE });
    const [file] = (answer.json() as { files: { "core-metadata": { sha256: string } }[] }).files;
    const path = `/${metadataPath(wheelPath({ distribution: torch, index: "cu129" }))}`;
    for (const written of [path, path.replace("+", "%2B"), path.replace("+", "%2b")]) {
      const { status, headers, body } = await mirror.get(written, { "accept-encoding": "gzip" });
      expect([status, body.equals(torch.metadata ?? Buffer.alloc(0))]).toEqual([200, true]);
      expect(headers).toMatchObject({
        "content-type": "application/octet-stream",
        etag: `"${file?.["core-metadata"].sha256 ?? ""}"`,
      });
      expect(headers["content-encoding"]).toBeUndefined();
    }
  });

  it("is the same when it is answered from memory: whole, by HEAD, with 304, in parts", async () => {
    const mirror = await mirrorOf([[site]]);
    const path = `/${metadataPath(wheelPath({ distribution: newer }))}`;
    const bytes = newer.metadata ?? Buffer.alloc(0);
    const plain = (headers: object): object => ({ ...headers, date: "" });
    const fresh = await mirror.get(path, { "if-modified-since": "Thu, 01 Jan 1970 00:00:00 GMT" });
    const etag = String(fresh.headers.etag);
    for (let asked = 0; asked < 3; asked++) {
      const whole = await mirror.get(path);
      expect([whole.status, whole.body.equals(bytes)]).toEqual([200, true]);
      expect(plain(whole.headers)).toEqual(plain(fresh.headers));
      const part = await mirror.get(path, { range: "bytes=3-9", "if-range": etag });
      expect([part.status, part.text]).toEqual([206, bytes.subarray(3, 10).toString()]);
      expect((await mirror.get(path, { "if-none-match": etag })).status).toBe(304);
      expect((await mirror.get(path, { "if-match": '"other"' })).status).toBe(412);
      const head = await mirror.ask("HEAD", path);
      const length = String(bytes.length);
      expect([head.status, head.body.length, head.headers["content-length"]]).toEqual([200, 0, length]);
    }
    const metrics = await mirror.metrics.registry.metrics();
    expect(metrics).toMatch(/requests_total\{method="GET",status="200",kind="file"\} 4/);
  });

  it("whose bytes are damaged is not kept", async () => {
    const store = await servedStore(await tmpDir());
    await store.add(pythonBundle(site));
    const mirror = await testMirror(store.root);
    const path = `/${metadataPath(wheelPath({ distribution: newer }))}`;
    await damage(store.blob(digestOf(newer.metadata ?? "")));
    for (let asked = 0; asked < 2; asked++) expect((await mirror.get(path)).status).toBe(500);
  });

  it("that is not here is not offered", async () => {
    const mirror = await mirrorOf([
      [
        { name: "one", wheels: [{ distribution: small }] },
        { without: [metadataPath(wheelPath({ distribution: small }))] },
      ],
    ]);
    expect((await mirror.get("/simple/markdown-it-py/", { accept: JSON_TYPE })).text).not.toContain(
      "core-metadata",
    );
  });
});
