import { beforeEach, describe, expect, it } from "vitest";
import { parseSpec } from "../../../src/bundle/spec.ts";
import { type TestMirror, testMirror } from "../../support/mirror-server.ts";
import { pythonBundle, wheelPath } from "../../support/python-bundle.ts";
import { makeWheel } from "../../support/python-index/wheel.ts";
import { servedStore } from "../../support/served-store.ts";
import { tmpDir } from "../../support/tmp.ts";

const engine = { distribution: makeWheel({ name: "demo-engine", version: "1.0" }) };
const torch = { distribution: makeWheel({ name: "torch", version: "2.10.0+cu129" }), index: "cu129" };
const release = {
  distribution: makeWheel({ name: "gh-engine", version: "1.0" }),
  index: "none",
  path: "o/r/releases/download/v1/gh_engine-1.0-py3-none-any.whl",
};
const later = { distribution: makeWheel({ name: "later", version: "1.0" }) };

let mirror: TestMirror;
beforeEach(async () => {
  const store = await servedStore(await tmpDir());
  await store.add(
    pythonBundle({
      name: "site-a",
      builds: [{ engine: "demo-engine", version: "1.0", wheels: [engine, torch] }],
      wheels: [release, later],
    }),
    { without: [wheelPath(later)] },
  );
  mirror = await testMirror(store.root);
});

async function missing(path: string): Promise<string> {
  const { status, headers, text } = await mirror.get(path);
  expect([status, headers["content-type"]]).toEqual([404, "text/plain; charset=utf-8"]);
  return text;
}

describe("what the index has not", () => {
  it.each([
    ["/simple/demo-engin/", "No bundle carries the project demo-engin."],
    ["/simple/engine-demo/", "Near it: demo-engine"],
    [
      "/simple/torch/",
      "torch is not on the index /simple/, but on /whl/cu129/torch/ (versions: 2.10.0+cu129)",
    ],
    ["/simple/gh-engine/", "its wheels are used by their addresses: /o/r/releases/download/v1/gh_engine-1.0"],
    ["/whl/cu126/torch/", "No bundle carries the index /whl/cu126/. Indexes here: /simple/, /whl/cu129/."],
    [
      "/whl/cu129/torch-2.11.0%2Bcu129-py3-none-any.whl",
      "Files of torch that are here: torch-2.10.0+cu129-py3",
    ],
    [
      "/packages/aa/bb/cc/demo_engine-1.1-py3-none-any.whl",
      "No bundle carries demo_engine-1.1-py3-none-any.whl.",
    ],
    ["/packages/aa/bb/cc/demo_engine-1.1-py3-none-any.whl.metadata", "Files of demo-engine that are here"],
    ["/packages/aa/bb/cc/demo_engine-1.0.tar.gz", "only wheels are carried"],
    ["/pypi/demo-engine/2.0/json", "No bundle carries demo-engine 2.0. Versions here: 1.0."],
    ["/pypi/nothing/json", "No bundle carries the project nothing."],
    ["/v1/locks/demo-engine/2.0/amd64/cpu/pylock.toml", "demo-engine/1.0/amd64/cpu"],
    ["/v1/locks/other/2.0/amd64/cpu/folder.tar", "No bundle carries such a lock."],
    ["/demo-engine/", "and should be http://"],
    [`/${wheelPath(later)}`, "a volume of that bundle is missing"],
    ["/python-downloads.json/x", "What is here"],
  ])("%s: %s", async (path, words) => {
    expect(await missing(path)).toContain(words);
  });

  it("comes with an engine, and the lines that name it are a spec", async () => {
    for (const path of ["/pypi/demo-engine/2.0/json", "/v1/locks/demo-engine/2.0/arm64/cpu/pylock.toml"]) {
      const text = await missing(path);
      const lines = /next bundle:\n\n([\s\S]+?)\n\nWhat is here/.exec(text)?.[1] ?? "";
      expect(parseSpec(`name: site\n${lines}\n`, "spec.yaml").engines).toMatchObject([
        { engine: "demo-engine", versions: ["2.0"] },
      ]);
    }
    expect(await missing("/simple/idna/")).toContain(
      "A bundle carries the wheels of its engines' locks and no others (here: demo-engine 1.0): build the next one with an engine that needs idna.",
    );
  });

  it("is everything where no bundle has Python in it", async () => {
    const store = await servedStore(await tmpDir());
    await store.add({ name: "plain", files: { "o/r/releases/download/v1/a.tar.gz": "1" } });
    mirror = await testMirror(store.root);
    expect(await missing("/simple/idna/")).toContain("No bundle on this mirror carries a Python index.");
    expect(await missing("/v1/locks/x/1/amd64/cpu/pylock.toml")).toContain("so there are no locks");
  });
});
