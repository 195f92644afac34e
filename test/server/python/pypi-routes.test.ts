import { describe, expect, it } from "vitest";
import type { Publication } from "../../../src/bundle/document-python.ts";
import { digestOf, hexOf } from "../../../src/lib/digest.ts";
import { encodePath } from "../../../src/wire/github.ts";
import { type TestMirror, testMirror } from "../../support/mirror-server.ts";
import {
  INTERPRETER,
  INTERPRETER_PATH,
  type PythonBundle,
  pythonBundle,
  UPLOADED,
  wheelPath,
} from "../../support/python-bundle.ts";
import { makeWheel } from "../../support/python-index/wheel.ts";
import { servedStore } from "../../support/served-store.ts";
import { tmpDir } from "../../support/tmp.ts";

const first = makeWheel({ name: "vllm", version: "0.23.0", requiresPython: ">=3.10" });
const rebuilt = makeWheel({ name: "vllm", version: "0.23.0", build: "2" });
const idna = makeWheel({ name: "idna", version: "3.10" });
const early = makeWheel({ name: "idna", version: "3.11rc1" });

const publication: Publication = {
  project: "vllm",
  version: "0.23.0",
  published: "2026-06-13T05:23:10Z",
  files: [
    {
      filename: first.filename,
      path: wheelPath({ distribution: first }),
      size: first.bytes.length,
      digest: first.digest,
      uploadedAt: "2026-06-13T05:20:00Z",
    },
    {
      filename: "vllm-0.23.0.tar.gz",
      path: "packages/aa/bb/cc/vllm-0.23.0.tar.gz",
      uploadedAt: "2026-06-13T05:23:10Z",
    },
  ],
};

/** A file whose volume has not been imported. */
const LATER = "o/r/releases/download/x/y";

async function mirrorOf(...bundles: PythonBundle[]): Promise<TestMirror> {
  const store = await servedStore(await tmpDir());
  for (const bundle of bundles) await store.add(pythonBundle(bundle), { without: [LATER] });
  return testMirror(store.root);
}

interface Json {
  info: { version: string; requires_python: string | null };
  urls: { filename: string; url: string; upload_time_iso_8601: string }[];
  releases: Record<string, unknown[]>;
}

describe("/pypi/PROJECT/VERSION/json", () => {
  it("P14 answers with the time of publication as it was frozen, though a second build came later", async () => {
    const mirror = await mirrorOf(
      { name: "one", wheels: [{ distribution: first }], publications: [publication] },
      { name: "two", wheels: [{ distribution: rebuilt, uploadedAt: "2026-06-15T09:00:00Z" }] },
    );
    const answer = await mirror.get("/pypi/vllm/0.23.0/json");
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    const { urls, info } = answer.json() as Json;
    const latest = urls
      .map((file) => file.upload_time_iso_8601)
      .sort()
      .at(-1);
    expect(latest).toBe(publication.published);
    expect(urls.map(({ filename }) => filename)).toEqual([first.filename, "vllm-0.23.0.tar.gz"]);
    expect(info.requires_python).toBe(">=3.10");
    const carried = await mirror.get(new URL(urls[0]?.url ?? "").pathname);
    expect(carried.body.equals(first.bytes)).toBe(true);
    expect((await mirror.get(new URL(urls[1]?.url ?? "").pathname)).status).toBe(404);
  });

  it("takes a version by its meaning and a name by its normal form", async () => {
    const mirror = await mirrorOf({
      name: "one",
      wheels: [{ distribution: first }],
      publications: [publication],
    });
    for (const version of ["0.23", "0.23.0", "v0.23.0.0", "0.23.0"]) {
      expect((await mirror.get(`/pypi/vllm/${version}/json`)).json()).toMatchObject({
        info: { version: "0.23.0" },
      });
    }
    const moved = await mirror.get("/pypi/VLLM/0.23.0/json");
    expect(moved.status).toBe(301);
    expect(new URL(String(moved.headers.location), "http://m/x/pypi/VLLM/0.23.0/json").pathname).toBe(
      "/x/pypi/vllm/0.23.0/json",
    );
    for (const path of ["/pypi/vllm/0.24.0/json", "/pypi/nothing/1.0/json", "/pypi/No_thing/json"]) {
      expect((await mirror.get(path)).status).toBe(404);
    }
  });

  it("speaks of carried wheels where nobody froze a publication", async () => {
    const mirror = await mirrorOf({ name: "one", wheels: [{ distribution: idna }] });
    const { urls } = (await mirror.get("/pypi/idna/3.10/json")).json() as Json;
    expect(urls).toMatchObject([
      {
        filename: idna.filename,
        upload_time_iso_8601: UPLOADED,
        url: `${mirror.url}/${encodePath(wheelPath({ distribution: idna }))}`,
        digests: { sha256: hexOf(idna.digest) },
      },
    ]);
  });
});

describe("/pypi/PROJECT/json", () => {
  it("has every release, and the newest final one as the latest", async () => {
    const mirror = await mirrorOf({ name: "one", wheels: [{ distribution: early }, { distribution: idna }] });
    const { info, releases, urls } = (await mirror.get("/pypi/idna/json")).json() as Json;
    expect(info.version).toBe("3.10");
    expect(Object.keys(releases).sort()).toEqual(["3.10", "3.11rc1"]);
    expect(urls).toHaveLength(1);
  });
});

describe("/python-downloads.json", () => {
  it("P15 lists the carried interpreters with addresses of this mirror, the last imported of a key", async () => {
    const absent = {
      ...INTERPRETER,
      key: "cpython-3.13.1-linux-x86_64-gnu",
      path: LATER,
    };
    const mirror = await mirrorOf({
      name: "one",
      interpreters: [INTERPRETER, absent],
      files: { [INTERPRETER_PATH]: "an interpreter", [LATER]: "another" },
    });
    const answer = await mirror.get("/python-downloads.json");
    expect(answer.json()).toEqual({
      [INTERPRETER.key]: expect.objectContaining({
        url: `${mirror.url}/${encodePath(INTERPRETER_PATH)}`,
        sha256: hexOf(digestOf("an interpreter")),
        build: "20261003",
      }) as object,
    });
  });
});
