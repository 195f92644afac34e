import { beforeEach, describe, expect, it } from "vitest";
import { parseSpec } from "../../src/bundle/spec.ts";
import { type TestMirror, testMirror } from "../support/mirror-server.ts";
import { servedStore } from "../support/served-store.ts";
import { tmpDir } from "../support/tmp.ts";

const LLAMA = "ggml-org/llama.cpp";
const PYTHON = "astral-sh/python-build-standalone";
const CPYTHON = "cpython-3.12.15+20261003-x86_64-unknown-linux-gnu-install_only.tar.gz";

let mirror: TestMirror;
beforeEach(async () => {
  const store = await servedStore(await tmpDir());
  await store.add({
    name: "site-a",
    releases: [
      {
        repo: LLAMA,
        tag: "b11346",
        assets: { "llama-b11346-bin-ubuntu-x64.tar.gz": "0" },
        prerelease: true,
        day: 1,
      },
      {
        repo: LLAMA,
        tag: "b11347",
        assets: {
          "llama-b11347-bin-ubuntu-x64.tar.gz": "1",
          "llama-b11347-bin-ubuntu-vulkan-x64.tar.gz": "2",
        },
        prerelease: true,
      },
      { repo: PYTHON, tag: "20261003", assets: { [CPYTHON]: "py" } },
    ],
    document: {
      missing: [
        {
          engine: "llamacpp",
          version: "b11347",
          arch: "amd64",
          variant: "cuda-13",
          assets: ["llama-b11347-bin-ubuntu-cuda-13.4-x64.tar.gz"],
          reason: "the release has no such asset",
        },
      ],
    },
  });
  const bundle = { name: "site-b", files: { "o/r/releases/download/v1/later.tar.gz": "9" } };
  await store.add(bundle, { without: ["o/r/releases/download/v1/later.tar.gz"] });
  mirror = await testMirror(store.root);
});

async function missing(path: string): Promise<string> {
  const answer = await mirror.get(path);
  expect(answer.status).toBe(404);
  expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
  expect(answer.headers["cache-control"]).toBe("no-store");
  return answer.text;
}

describe("what the mirror lacks", () => {
  it.each([
    [
      "an asset of a carried release",
      `/${LLAMA}/releases/download/b11347/llama-b11347-bin-ubuntu-arm64.tar.gz`,
      [
        "Near it: llama-b11347-bin-ubuntu-x64.tar.gz",
        "Carried assets of b11347: ",
        "versions:\n      - b11347",
      ],
    ],
    [
      "an asset that the bundle was built without",
      `/${LLAMA}/releases/download/b11347/llama-b11347-bin-ubuntu-cuda-13.4-x64.tar.gz`,
      ["Bundle site-a was built without it: the release has no such asset"],
    ],
    [
      "another release of a carried repository",
      `/${LLAMA}/releases/download/b11400/llama-b11400-bin-ubuntu-x64.tar.gz`,
      ["Carried releases, newest first: b11347, b11346.", "engine: llamacpp", "tag: b11400"],
    ],
    [
      "a repository that nobody carries",
      "/sgl-project/sglang/releases/download/v0.1/x.whl",
      [`Carried repositories: ${PYTHON}, ${LLAMA}.`, "repo: sgl-project/sglang"],
    ],
    [
      "the latest of a repository of prereleases",
      `/${LLAMA}/releases/latest/download/llama.tar.gz`,
      ["Every carried release", "the newest that is here is b11347"],
    ],
    [
      "an asset of the latest release",
      `/${PYTHON}/releases/latest/download/other`,
      ["The latest carried release", "20261003"],
    ],
    [
      "a source archive",
      `/${LLAMA}/archive/refs/tags/b11347.tar.gz`,
      ["source archive of ggml-org/llama.cpp b11347"],
    ],
    ["uv's own paths", "/github/uv/releases/download/0.1/uv.tar.gz", ["No bundle carries astral-sh/uv"]],
    [
      "a file of a volume to come",
      "/o/r/releases/download/v1/later.tar.gz",
      ["Bundle site-b lists it", "remaining volumes"],
    ],
    ["a Python index", "/simple/torch/", ["Python index"]],
    ["anything else", "/favicon.ico", ["Not on this mirror: /favicon.ico"]],
  ])(
    "M9: %s is a 404 in words, which say what there is and what would bring it",
    async (_what, path, words) => {
      const text = await missing(path);
      for (const word of words) expect(text).toContain(word);
      expect(text).toContain("never asks the internet");
    },
  );

  it("M9: the lines that it proposes are a spec", async () => {
    const text = await missing(
      `/${LLAMA}/releases/download/b11400/llama+x [1]: b.tar.gz`.replaceAll(" ", "%20"),
    );
    const engines = /^engines:\n(?: .*\n)+/m.exec(text)?.[0];
    const assets = /^assets:\n(?: .*\n)+/m.exec(text)?.[0];
    const spec = parseSpec(`name: next\n${engines ?? ""}${assets ?? ""}`, "proposed");
    expect(spec.engines?.[0]).toMatchObject({ engine: "llamacpp", versions: ["b11400"] });
    expect(spec.assets?.[0]).toMatchObject({
      repo: LLAMA,
      tag: "b11400",
      include: ["llama+x [1]: b.tar.gz"],
    });
  });

  it("M9: is remembered for the page, latest first, each once, without noise", async () => {
    await mirror.get(`/${LLAMA}/releases/download/b1/a`);
    await mirror.get("/simple/torch/");
    await mirror.get("/favicon.ico");
    await mirror.get(`/${LLAMA}/releases/download/b1/a?x=secret`);
    expect(mirror.asked.recent().map(({ path, times }) => [path, times])).toEqual([
      [`${LLAMA}/releases/download/b1/a`, 2],
      ["simple/torch", 1],
    ]);
  });

  it.each([
    ["lacks what is before the tag", `/20261003/${CPYTHON}`],
    ["lacks the owner", `/python-build-standalone/releases/download/20261003/${CPYTHON}`],
    ["has the path twice", `/${PYTHON}/releases/download/${PYTHON}/releases/download/20261003/${CPYTHON}`],
    ["has a level too many", `/github.com/${PYTHON}/releases/download/20261003/${CPYTHON}`],
    ["has another repository", `/indygreg/python/builds/releases/download/20261003/${CPYTHON}`],
  ])("M12: a base that %s is answered with the right one", async (_what, path) => {
    const text = await missing(path.replaceAll("+", "%2B"));
    const [, given = "", right = ""] =
      /given does not fit\. It was (\S+) and should be (\S+): then it finds/.exec(text) ?? [];
    const asked = `${mirror.url}${path.replaceAll("+", "%2B")}`;
    expect(asked.startsWith(`${given}/`)).toBe(true);
    const { pathname } = new URL(`${right}${asked.slice(given.length)}`);
    expect((await mirror.get(pathname)).text).toBe("py");
  });

  it("M12: the same file of another repository is no wrong base, and is named", async () => {
    const text = await missing(`/fork/llama.cpp/releases/download/b11346/llama-b11346-bin-ubuntu-x64.tar.gz`);
    expect(text).toContain("No bundle carries fork/llama.cpp");
    expect(text).toContain(`A file of that name is carried at: ${LLAMA}/releases/download/b11346/`);
    expect(text).not.toContain("does not fit");
  });

  it.each(["/api/repos", "/v3/repos", "/api/v3/api/v3/repos", "/github.com/repos"])(
    "M12: an API asked below %s is told where it is",
    async (path) => {
      const answer = await mirror.get(`${path}/${LLAMA}/releases/tags/b11347`);
      expect(answer.status).toBe(404);
      expect(answer.text).toContain(`${mirror.url}/api/v3 (as GitHub Enterprise has it)`);
    },
  );

  it("is found at once, however much it looks like something", async () => {
    const long = `${"a/".repeat(1500)}x`;
    expect((await mirror.get(`/${long}`)).status).toBe(404);
    expect((await mirror.get(`/o/r/releases/download/${"%2F".repeat(50)}x`)).status).toBe(404);
  });
});
