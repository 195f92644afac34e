import { describe, expect, it } from "vitest";
import { loadCatalog } from "../../server/catalog-load.ts";
import { viewStore } from "../../server/store-view.ts";
import { removeBundles } from "../../src/bundle/store-bundles.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { digestOf } from "../../src/lib/digest.ts";
import type { LayoutStore } from "../../src/store/layout-store.ts";
import { bundleOf, contentOf, emptyStore, importFiles } from "../support/mirror-store.ts";
import { sampleDocument } from "../support/sample-bundle.ts";

const PATH = "o/r/releases/download/v1/tool.tar.gz";
const OTHER = "o/r/releases/download/v1/other.tar.gz";

/** The digest that a mirror serves under a path. */
async function served(store: LayoutStore, path = PATH): Promise<string | undefined> {
  const { catalog, problems } = await loadCatalog(viewStore(store.root));
  expect(problems).toEqual([]);
  return catalog.lookup(path)?.digest;
}

const a = bundleOf("a", 1, { [PATH]: "first bytes", "o/r/releases/download/v1/a": "a" });
const b = bundleOf("b", 1, { [PATH]: "second bytes", [OTHER]: "b" });

describe("M13: two bundles carry one path with different bytes", () => {
  it("refuses the second, with both digests and both names, and changes nothing", async () => {
    const store = await emptyStore();
    await importFiles(store, a);
    const before = await contentOf(store);
    for (const seekable of [true, false]) {
      await expect(importFiles(store, b, { seekable })).rejects.toMatchObject({
        code: "BUNDLE_CONFLICT",
        exitCode: 5,
        message: expect.stringMatching(
          new RegExp(
            `${PATH}[^]*here: ${digestOf("first bytes")}.* a 1[^]*new: +${digestOf("second bytes")}.* b 1`,
          ),
        ) as string,
        hint: expect.stringContaining("--prefer new") as string,
        details: { conflicts: [{ path: PATH, old: { bundle: "a 1" }, new: { bundle: "b 1" } }] },
      });
    }
    expect(await contentOf(store)).toEqual(before);
    expect(await served(store)).toBe(digestOf("first bytes"));
  });

  it("serves the new bytes where that is told", async () => {
    const store = await emptyStore();
    await importFiles(store, a);
    expect(await importFiles(store, b, { prefer: "new" })).toMatchObject({
      prefer: "new",
      conflicts: [{ path: PATH }],
    });
    expect([await served(store), await served(store, OTHER)]).toEqual([
      digestOf("second bytes"),
      digestOf("b"),
    ]);
  });

  it("keeps serving the old bytes where that is told, and takes the rest", async () => {
    const store = await emptyStore();
    await importFiles(store, a);
    expect(await importFiles(store, b, { prefer: "old" })).toMatchObject({ prefer: "old" });
    expect([await served(store), await served(store, OTHER)]).toEqual([
      digestOf("first bytes"),
      digestOf("b"),
    ]);
    await removeBundles(store, "a");
    expect(await served(store)).toBe(digestOf("second bytes"));
  });

  it("keeps the decision when either bundle comes again, and changes it when told", async () => {
    const store = await emptyStore();
    await importFiles(store, a);
    await importFiles(store, b, { prefer: "old" });
    const decided = await store.readIndex();
    await importFiles(store, a);
    await importFiles(store, b);
    expect(await store.readIndex()).toEqual(decided);
    await importFiles(store, b, { prefer: "new" });
    expect(await served(store)).toBe(digestOf("second bytes"));
    await importFiles(store, a, { prefer: "new" });
    expect(await served(store)).toBe(digestOf("first bytes"));
    await importFiles(store, a, { prefer: "old" });
    expect(await served(store)).toBe(digestOf("second bytes"));
  });

  it("puts one that yields below all that were there, also below others that yield", async () => {
    const store = await emptyStore();
    const third = bundleOf("c", 1, { [PATH]: "third bytes" });
    await importFiles(store, a);
    await importFiles(store, b, { prefer: "old" });
    await importFiles(store, third, { prefer: "old" });
    expect(await served(store)).toBe(digestOf("first bytes"));
    await removeBundles(store, "a");
    expect(await served(store)).toBe(digestOf("second bytes"));
  });

  it("asks nothing of a bundle that has what is served, although a third has not", async () => {
    const store = await emptyStore();
    await importFiles(store, a);
    await importFiles(store, b, { prefer: "new" });
    expect((await importFiles(store, bundleOf("c", 1, { [PATH]: "second bytes" }))).conflicts).toEqual([]);
    await expect(importFiles(store, bundleOf("d", 1, { [PATH]: "first bytes" }))).rejects.toMatchObject({
      code: "BUNDLE_CONFLICT",
    });
  });

  it("sees that it is one path through case and a former owner", async () => {
    const store = await emptyStore();
    const { recipes } = sampleDocument();
    await importFiles(
      store,
      bundleOf("a", 1, { "ggml-org/llama.cpp/releases/download/b1/x": "one" }, undefined, { recipes }),
    );
    for (const owner of ["GGML-org/Llama.cpp", "ggerganov/llama.cpp"]) {
      const same = bundleOf("b", 1, { [`${owner}/releases/download/b1/x`]: "two" });
      await expect(importFiles(store, same), owner).rejects.toMatchObject({ code: "BUNDLE_CONFLICT" });
    }
    const tag = bundleOf("b", 1, { "ggml-org/llama.cpp/releases/download/B1/x": "two" });
    expect((await importFiles(store, tag)).outcome).toBe("imported");
  });

  it("decides by the order of imports even where the clock goes back", async () => {
    const store = await emptyStore();
    const at = (now: number): Clock => ({ now: () => now, sleep: () => Promise.resolve() });
    await importFiles(store, a, { clock: at(Date.UTC(2030, 0)) });
    const { importedAt } = await importFiles(store, b, { prefer: "new", clock: at(Date.UTC(2001, 0)) });
    expect(importedAt).toBe("2030-01-01T00:00:00.001Z");
    expect(await served(store)).toBe(digestOf("second bytes"));
  });

  it("refuses one of two that are imported at once", async () => {
    const store = await emptyStore();
    const outcomes = await Promise.allSettled([importFiles(store, a), importFiles(store, b)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const refused = outcomes.find((outcome) => outcome.status === "rejected");
    expect(refused?.reason).toMatchObject({ code: "BUNDLE_CONFLICT" });
    const won = outcomes[0].status === "fulfilled" ? "first bytes" : "second bytes";
    expect(await served(store)).toBe(digestOf(won));
    expect((await contentOf(store))["importing"]).toEqual([]);
    const lost = won === "first bytes" ? "second bytes" : "first bytes";
    expect(await store.stat(digestOf(lost))).toBeUndefined();
  });
});

describe("a bundle's counter", () => {
  const of = (counter: number, text = String(counter)): ReturnType<typeof bundleOf> =>
    bundleOf("site-a", counter, { [`o/r/releases/download/${counter}/x`]: text });

  it("must not go back, unless that is told", async () => {
    const store = await emptyStore();
    await importFiles(store, of(3));
    const before = await contentOf(store);
    await expect(importFiles(store, of(2))).rejects.toMatchObject({
      code: "BUNDLE_OLDER",
      exitCode: 5,
      details: { name: "site-a", counter: 2, newest: 3 },
    });
    expect(await contentOf(store)).toEqual(before);
    expect((await importFiles(store, of(2), { allowOlder: true })).outcome).toBe("imported");
    expect((await importFiles(store, of(4))).outcome).toBe("imported");
    expect((await store.readIndex()).manifests).toHaveLength(6);
  });

  it("does not stop a bundle that the store has from being repaired", async () => {
    const store = await emptyStore();
    await importFiles(store, of(2));
    await importFiles(store, of(3));
    await store.delete(digestOf("2"));
    expect((await importFiles(store, of(2))).outcome).toBe("repaired");
  });

  it("belongs to one content, whatever is told", async () => {
    const store = await emptyStore();
    await importFiles(store, of(3));
    const other = importFiles(store, of(3, "other"), { allowOlder: true, prefer: "new" });
    await expect(other).rejects.toMatchObject({
      code: "BUNDLE_CONFLICT",
      message: expect.stringMatching(/other content.*sha256:.*sha256:/) as string,
      hint: expect.stringContaining("ferry remove site-a@3") as string,
    });
  });

  it("is not compared between names, also where one name begins like another", async () => {
    const store = await emptyStore();
    await importFiles(store, bundleOf("site", 9, { "o/r/y": "y" }));
    await importFiles(store, bundleOf("site-a-9", 9, { "o/r/z": "z" }));
    expect((await importFiles(store, of(3))).outcome).toBe("imported");
  });
});
