import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { digestFromHex, digestOf } from "../../../src/lib/digest.ts";
import { parsePylock } from "../../../src/wire/pylock.ts";
import { type TestMirror, testMirror } from "../../support/mirror-server.ts";
import { type BundledBuild, pythonBundle, wheelPath } from "../../support/python-bundle.ts";
import { makeWheel } from "../../support/python-index/wheel.ts";
import { type ImportNotes, servedStore } from "../../support/served-store.ts";
import { tmpDir } from "../../support/tmp.ts";

const run = promisify(execFile);
const small = { distribution: makeWheel({ name: "small", version: "1.0", requires: ["torch"] }) };
const torch = {
  distribution: makeWheel({ name: "torch", version: "2.10.0+cu129", ballast: Buffer.alloc(700_000, 7) }),
  index: "cu129",
};
/** Its name does not fit into a header of a tar. */
const long = {
  distribution: makeWheel({
    name: "opencv-python-headless",
    version: "4.13.0.92",
    tag: "cp37-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64.manylinux_2_28_x86_64.manylinux_2_31_x86_64",
  }),
  index: "none",
  path: "o/r/releases/download/v1/opencv_python_headless-4.13.0.92-cp37-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64.manylinux_2_28_x86_64.manylinux_2_31_x86_64.whl",
};
const build: BundledBuild = {
  engine: "small",
  version: "1.0",
  variant: "cu129",
  wheels: [small, torch, long],
};
const LOCK = "/v1/locks/small/1.0/amd64/cu129/pylock.toml";
const FOLDER = "/v1/locks/small/1.0/amd64/cu129/folder.tar";

async function mirrorOf(notes: ImportNotes = {}): Promise<TestMirror> {
  const store = await servedStore(await tmpDir());
  await store.add(pythonBundle({ name: "site-a", builds: [build] }), notes);
  return testMirror(store.root);
}

describe("the lock of a build", () => {
  it("P3 names this mirror alone, and every address of it answers with the locked hash", async () => {
    const mirror = await mirrorOf();
    const { status, headers, text } = await mirror.get(LOCK);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "application/toml; charset=utf-8",
      "cache-control": "no-cache",
    });
    expect(text).not.toContain("path =");
    const files = parsePylock(text).packages.flatMap(({ wheels }) => wheels);
    expect(files).toHaveLength(3);
    for (const { url = "", hashes, size } of files) {
      expect(url.startsWith(`${mirror.url}/`)).toBe(true);
      const { body } = await mirror.get(url.slice(mirror.url.length));
      expect(digestOf(body)).toBe(digestFromHex(hashes["sha256"] ?? ""));
      expect(body.length).toBe(size);
    }
  });

  it("P5 says every file's name, decoded", async () => {
    const { text } = await (await mirrorOf()).get(LOCK);
    expect(text).toContain(`name = "${torch.distribution.filename}"`);
    expect(text).toContain("torch-2.10.0%2Bcu129-py3-none-any.whl");
  });

  it("follows the base that the client knows the mirror by", async () => {
    const mirror = await mirrorOf();
    const { text } = await mirror.get(LOCK, {
      "x-forwarded-host": "far.test",
      "x-forwarded-prefix": "/ferry",
    });
    expect(text).toContain('url = "http://far.test/ferry/whl/cu129/torch-');
  });

  it("is in the list with what it needs", async () => {
    const mirror = await mirrorOf();
    for (const path of ["/v1/locks", "/v1/locks/"]) {
      expect((await mirror.get(path)).json()).toEqual({
        locks: [
          expect.objectContaining({
            engine: "small",
            version: "1.0",
            arch: "amd64",
            variant: "cu129",
            complete: true,
            packages: 3,
            glibc: "2.17",
            exclude_newer: "2026-09-02T08:00:00Z",
            pylock: `${mirror.url}${LOCK}`,
            folder: `${mirror.url}${FOLDER}`,
          }) as object,
        ],
      });
    }
  });

  it("is 404 where nobody carries the build, in words", async () => {
    const mirror = await mirrorOf();
    for (const path of [
      LOCK.replace("cu129", "cpu"),
      LOCK.replace("1.0", "2.0"),
      FOLDER.replace("amd64", "arm64"),
    ]) {
      expect((await mirror.get(path)).status).toBe(404);
    }
  });

  it("is 404 while a wheel of it has not come, and names the wheel", async () => {
    const mirror = await mirrorOf({ without: [wheelPath(torch)] });
    for (const path of [LOCK, FOLDER]) {
      const { status, text } = await mirror.get(path);
      expect(status).toBe(404);
      expect(text).toContain(torch.distribution.filename);
      expect(text).toContain("site-a");
    }
  });

  it("is 404 while it has not come itself", async () => {
    const mirror = await mirrorOf({ without: ["locks/small/1.0/amd64/cu129/pylock.toml"] });
    expect((await mirror.get(LOCK)).text).toContain("bundle site-a lists this lock");
  });

  it("that is none is a fault of the store", async () => {
    const store = await servedStore(await tmpDir());
    const bundle = pythonBundle({ name: "site-b", builds: [build] });
    await store.add({
      ...bundle,
      files: { ...bundle.files, "locks/small/1.0/amd64/cu129/pylock.toml": "[[[ no lock" },
    });
    const broken = await testMirror(store.root);
    expect((await broken.get(LOCK)).status).toBe(500);
    expect(broken.said.join()).toContain("is no lock of PEP 751");
  });
});

describe("the folder of a build", () => {
  it("is a tar with the lock and all its wheels in one folder, whose length is known", async () => {
    const mirror = await mirrorOf();
    const { status, headers, body } = await mirror.get(FOLDER);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "application/x-tar",
      "content-length": String(body.length),
      "content-disposition": 'attachment; filename="small-1.0-amd64-cu129.tar"',
      "accept-ranges": "bytes",
    });
    const folder = await tmpDir();
    await writeFile(join(folder, "f.tar"), body);
    await run("tar", ["-xf", "f.tar"], { cwd: folder });
    const wheels = [small, torch, long].map(({ distribution }) => distribution);
    expect((await readdir(folder)).sort()).toEqual(
      ["f.tar", "pylock.toml", ...wheels.map(({ filename }) => filename)].sort(),
    );
    const lock = parsePylock(await readFile(join(folder, "pylock.toml"), "utf8"));
    const files = lock.packages.flatMap(({ wheels: of }) => of);
    expect(files).toHaveLength(3);
    for (const { path = "", url, hashes } of files) {
      expect(url).toBeUndefined();
      expect(digestOf(await readFile(join(folder, path)))).toBe(digestFromHex(hashes["sha256"] ?? ""));
    }
  });

  it("is read from anywhere to anywhere, as a download that goes on needs it", async () => {
    const mirror = await mirrorOf();
    const { body, headers } = await mirror.get(FOLDER);
    const etag = String(headers.etag);
    const cuts = [0, 1, 511, 512, 1023, 5000, 300_000, body.length - 1500, body.length - 1];
    for (const from of cuts) {
      const range = { range: `bytes=${from}-${Math.min(from + 2500, body.length - 1)}`, "if-range": etag };
      const part = await mirror.get(FOLDER, range);
      expect(part.status).toBe(206);
      expect(part.body.equals(body.subarray(from, from + 2501))).toBe(true);
    }
    const rest = await mirror.get(FOLDER, { range: "bytes=4000-", "if-range": etag });
    expect(rest.body.equals(body.subarray(4000))).toBe(true);
    expect((await mirror.get(FOLDER, { "if-none-match": etag })).status).toBe(304);
    const head = await mirror.ask("HEAD", FOLDER);
    expect([head.body.length, head.headers["content-length"]]).toEqual([0, String(body.length)]);
    expect((await mirror.get(FOLDER, { range: `bytes=${body.length}-` })).status).toBe(416);
  });

  it("is the same whatever address the mirror is known by", async () => {
    const mirror = await mirrorOf();
    const here = await mirror.get(FOLDER);
    const there = await mirror.get(FOLDER, { "x-forwarded-host": "far.test" });
    expect(there.headers.etag).toBe(here.headers.etag);
    expect(there.body.equals(here.body)).toBe(true);
  });
});
