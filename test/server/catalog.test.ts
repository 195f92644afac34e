import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Catalog } from "../../server/catalog.ts";
import { loadCatalog } from "../../server/catalog-load.ts";
import { latestRelease } from "../../server/catalog-releases.ts";
import { resolveFile } from "../../server/resolve-file.ts";
import { viewStore } from "../../server/store-view.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { newPair, SAMPLE_CONTENTS, SERVER_PATH, sampleDocument } from "../support/sample-bundle.ts";
import { damage, type ServedStore, servedStore, type TestBundle } from "../support/served-store.ts";
import { tmpDir } from "../support/tmp.ts";

const LLAMA = "ggml-org/llama.cpp";
const llama = (tag: string, assets: Record<string, string>, day = 2): NonNullable<TestBundle["releases"]> => [
  { repo: LLAMA, tag, assets, day, prerelease: true },
];

let store: ServedStore;
beforeEach(async () => {
  store = await servedStore(await tmpDir());
});

async function catalog(): Promise<Catalog> {
  const { catalog: loaded, problems } = await loadCatalog(viewStore(store.root));
  expect(problems).toEqual([]);
  return loaded;
}

describe("the catalog", () => {
  it("serves a carried path with its digest, size, name and time", async () => {
    await store.add({ name: "a", releases: llama("b1", { "x+1.tar.gz": "one" }) });
    const found = (await catalog()).lookup(`${LLAMA}/releases/download/b1/x+1.tar.gz`);
    expect(found).toEqual({
      digest: digestOf("one"),
      size: 3,
      file: store.blob(digestOf("one")),
      name: "x+1.tar.gz",
      contentType: "application/octet-stream",
      modified: new Date("2026-11-02T10:00:00Z"),
    });
  });

  it.each([
    ["GGML-org/Llama.cpp/releases/download/b1/A", true],
    ["ggerganov/llama.cpp/releases/download/b1/A", true],
    ["GGERGANOV/llama.cpp/releases/download/b1/A", true],
    ["ggml-org/llama.cpp/releases/download/b1/a", false],
    ["ggml-org/llama.cpp/releases/download/B1/A", false],
    ["ggml-org/llama.cpp/Releases/download/b1/A", false],
    ["ggml-org/llama.cpp/releases/download/b1/A%2F", false],
  ])("owner and repository in any case and by former names, the rest exactly: %s", async (path, found) => {
    await store.add({ name: "a", releases: llama("b1", { A: "one" }) });
    expect((await catalog()).lookup(path) !== undefined).toBe(found);
  });

  it("finds what a bundle carries under a repository's former name by both names", async () => {
    await store.add({
      name: "a",
      releases: [{ repo: "comfyanonymous/ComfyUI", tag: "v1", assets: { a: "one" } }],
    });
    const loaded = await catalog();
    expect(loaded.lookup("Comfy-Org/ComfyUI/releases/download/v1/a")).toBeDefined();
    expect(loaded.lookup("comfyanonymous/ComfyUI/releases/download/v1/a")).toBeDefined();
  });

  it.each([
    ["github/uv/releases/download/0.12.23/uv-installer.sh", true],
    ["github/ruff/releases/download/0.12.23/uv-installer.sh", false],
    ["astral-sh/uv/releases/latest/download/uv-installer.sh", true],
    ["github/uv/releases/latest/download/uv-installer.sh", true],
    ["astral-sh/uv/releases/latest/download/absent", false],
    ["astral-sh/uv/releases/download/0.12.23/a%2Bb", true],
  ])("knows a file by the other names that clients have for it: %s", async (path, found) => {
    const assets = { "uv-installer.sh": "#!/bin/sh", "a+b": "plus" };
    await store.add({ name: "a", releases: [{ repo: "astral-sh/uv", tag: "0.12.23", assets }] });
    expect(resolveFile(await catalog(), path) !== undefined).toBe(found);
  });

  it("calls latest what GitHub does: the newest that is no prerelease, and none where all are", async () => {
    await store.add({
      name: "a",
      releases: [
        { repo: "astral-sh/uv", tag: "0.12.22", assets: { a: "1" }, day: 1 },
        { repo: "astral-sh/uv", tag: "0.12.23", assets: { a: "2" }, day: 2 },
        { repo: "astral-sh/uv", tag: "0.13.0rc1", assets: { a: "3" }, day: 3, prerelease: true },
        { repo: LLAMA, tag: "b1", assets: { a: "4" }, prerelease: true },
      ],
    });
    const loaded = await catalog();
    const latest = (repo: string): string | undefined => {
      const found = loaded.repo(repo);
      return found === undefined ? undefined : latestRelease(found)?.tag;
    };
    expect([latest("astral-sh/uv"), latest(LLAMA)]).toEqual(["0.12.23", undefined]);
    expect(loaded.repo("astral-sh/uv")?.releases.map(({ tag }) => tag)).toEqual([
      "0.13.0rc1",
      "0.12.23",
      "0.12.22",
    ]);
  });

  it("merges a release that two bundles carry parts of", async () => {
    await store.add({ name: "a", releases: llama("b1", { cpu: "1", both: "2" }) });
    await store.add(
      { name: "b", releases: llama("b1", { cuda: "3", both: "2" }) },
      { importedAt: "2026-11-04T00:00:00Z" },
    );
    const release = (await catalog()).repo(LLAMA)?.byTag.get("b1");
    expect(release?.assets.map(({ name }) => name)).toEqual(["both", "cpu", "cuda"]);
  });

  it.each([
    ["the later import", false, "new"],
    ["the earlier one, where the later yields", true, "old"],
  ])(
    "M13: of one path with two contents it serves %s, and lists no other",
    async (_what, yields, expected) => {
      await store.add(
        { name: "z", releases: llama("b1", { a: "old" }) },
        { importedAt: "2026-11-04T00:00:00Z" },
      );
      await store.add(
        { name: "a", releases: llama("b1", { a: "new" }) },
        { importedAt: "2026-11-05T00:00:00Z", yields },
      );
      const loaded = await catalog();
      expect(loaded.lookup(`${LLAMA}/releases/download/b1/a`)?.digest).toBe(digestOf(expected));
      expect(
        loaded
          .repo(LLAMA)
          ?.byTag.get("b1")
          ?.assets.map(({ digest }) => digest),
      ).toEqual([digestOf(expected)]);
      expect(loaded.bundles.map(({ document }) => document.name)).toEqual(["z", "a"]);
    },
  );

  it("does not offer what a volume has yet to bring, and knows who awaits it", async () => {
    const bundle: TestBundle = { name: "a", releases: llama("b1", { here: "1", later: "2" }) };
    const path = `${LLAMA}/releases/download/b1/later`;
    await store.add(bundle, { without: [path] });
    const loaded = await catalog();
    expect(loaded.lookup(path)).toBeUndefined();
    expect(loaded.awaited(path)?.bundle).toBe("a");
    expect(loaded.bundles[0]?.absent).toEqual([path]);
    expect(
      loaded
        .repo(LLAMA)
        ?.byTag.get("b1")
        ?.assets.map(({ name }) => name),
    ).toEqual(["here"]);
  });

  it("says which bundles there are, who signed them and when they came", async () => {
    const { signer } = newPair();
    await store.add({ name: "signed" }, { signers: [signer], importedAt: "2026-11-04T00:00:00Z" });
    await store.add({ name: "open", files: { "a/b": "1" } }, { importedAt: "2026-11-05T00:00:00Z" });
    const { bundles } = await catalog();
    expect(
      bundles.map(({ document, signedBy, importedAt }) => [document.name, signedBy, importedAt]),
    ).toEqual([
      ["signed", [signer.keyId], "2026-11-04T00:00:00Z"],
      ["open", [], "2026-11-05T00:00:00Z"],
    ]);
    expect(bundles[0]?.signatures.map(({ fingerprint }) => fingerprint)).toEqual([signer.fingerprint]);
  });

  it("knows the builds, their size, and whether all of them is here", async () => {
    const contents = Object.fromEntries(SAMPLE_CONTENTS);
    const { builds, releases } = sampleDocument();
    await store.add({ name: "a", files: contents, document: { builds, releases } });
    const [build] = (await catalog()).builds;
    expect(build).toMatchObject({
      engine: "llamacpp",
      bundle: "a",
      complete: true,
      bytes: contents[SERVER_PATH]?.length,
    });
  });

  it("counts a content that several paths share once", async () => {
    await store.add({ name: "a", files: { "a/1": "same", "a/2": "same", "a/3": "other" } });
    expect(await catalog()).toMatchObject({ files: 3, blobs: 2, bytes: 9 });
  });

  it("leaves a bundle whose record is damaged out, serves the others, and says which", async () => {
    await store.add({ name: "good", files: { "a/1": "1" } });
    const index = await viewStore(store.root).readIndex();
    await store.add({ name: "bad", files: { "a/2": "2" } });
    const bad = (await viewStore(store.root).readIndex()).manifests.find(
      ({ digest }) => !index.manifests.some((entry) => entry.digest === digest),
    );
    await damage(store.blob(bad?.digest ?? digestOf("")));
    const { catalog: loaded, problems } = await loadCatalog(viewStore(store.root));
    expect(loaded.bundles.map(({ document }) => document.name)).toEqual(["good"]);
    expect(problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
      expect.stringMatching(/^STORE_DAMAGED the store's record of bundle bad 1 cannot be read: /),
    ]);
  });

  it("takes a folder without an index for an empty store", async () => {
    const { catalog: loaded } = await loadCatalog(viewStore(await tmpDir()));
    expect(loaded).toMatchObject({ files: 0, bundles: [] });
  });

  it("M7: nothing but what bundles carry is reachable, whatever is asked for", async () => {
    await store.add({ name: "a", releases: llama("b1", { a: "one" }) });
    const loaded = await catalog();
    const piece = fc.constantFrom(
      "..",
      "ggml-org",
      "llama.cpp",
      "github",
      "releases",
      "latest",
      "download",
      "b1",
      "a",
      "__proto__",
      "constructor",
      "%2B",
      "etc",
      "",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((parts) => parts.join("/")),
        ),
        (path) => {
          const found = resolveFile(loaded, path);
          if (found !== undefined) expect(found.blob.file).toBe(store.blob(digestOf("one")));
        },
      ),
      { numRuns: 2000 },
    );
  });
});
