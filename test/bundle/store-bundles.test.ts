import { rm, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { rememberBundle } from "../../src/bundle/history.ts";
import { renderBundle } from "../../src/bundle/manifest.ts";
import { BundlesReport, listBundles, RemoveReport, removeBundles } from "../../src/bundle/store-bundles.ts";
import { mergeBundle, nameAndCounter } from "../../src/bundle/store-index.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { markImport } from "../../src/store/import-mark.ts";
import { ANNOTATION_REF_NAME, type Descriptor, type Index } from "../../src/wire/oci.ts";
import { builderKey, bundleOf, documentOf, emptyStore, importFiles } from "../support/mirror-store.ts";

describe("listBundles", () => {
  it("says what each bundle holds, in the order of import", async () => {
    const store = await emptyStore();
    expect(await listBundles(store)).toEqual({
      store: store.root,
      bundles: [],
      unreadable: [],
      unfinished: [],
    });
    await importFiles(store, bundleOf("z", 2, { "o/r/a": "a", "o/r/copy": "a" }));
    await importFiles(store, bundleOf("a", 1, { "o/r/a": "other" }, []), {
      allowUnsigned: true,
      prefer: "old",
    });
    const report = await listBundles(store);
    expect(BundlesReport.parse(report)).toEqual(report);
    expect(report.bundles).toMatchObject([
      {
        name: "z",
        counter: 2,
        signedBy: [builderKey.signer.keyId],
        yields: false,
        files: 2,
        contents: 1,
        bytes: 1,
        absent: 0,
      },
      { name: "a", counter: 1, signedBy: [], yields: true, files: 1 },
    ]);
  });

  it("says what was built here, is absent, cannot be read, or is not finished", async () => {
    const store = await emptyStore();
    await rememberBundle(store, renderBundle(documentOf("built", 1, { "o/r/b": "b" }), []));
    const { manifest } = await importFiles(store, bundleOf("broken", 1, { "o/r/c": "c" }));
    await writeFile(store.pathOf(manifest), "{}");
    await markImport(store, digestOf("m"), "half 3", []);
    await markImport(store, digestOf("m"), "half 3", []);
    expect(await listBundles(store)).toMatchObject({
      bundles: [{ name: "built", importedAt: null, signedBy: null, absent: 1 }],
      unreadable: [{ bundle: "broken 1", manifest, reason: expect.stringContaining("broken 1") as string }],
      unfinished: ["half 3"],
    });
  });
});

describe("removeBundles", () => {
  it("takes one, or all of a name, with their signatures, and leaves the contents", async () => {
    const store = await emptyStore();
    for (const counter of [1, 2, 3]) {
      await importFiles(store, bundleOf("a", counter, { [`o/r/${counter}`]: "x" }));
    }
    await importFiles(store, bundleOf("a-2", 2, { "o/r/other": "x" }));
    const one = await removeBundles(store, "a@2");
    expect(RemoveReport.parse(one)).toEqual(one);
    expect(one).toMatchObject({ removed: [{ name: "a", counter: 2 }], left: 3 });
    expect((await removeBundles(store, "a")).removed.map(({ counter }) => counter)).toEqual([1, 3]);
    expect((await store.readIndex()).manifests).toHaveLength(2);
    expect(await store.stat(digestOf("x"))).toBe(1);
  });

  it("works for a bundle whose record is damaged", async () => {
    const store = await emptyStore();
    const { manifest } = await importFiles(store, bundleOf("a", 1, {}));
    await rm(store.pathOf(manifest));
    expect(await removeBundles(store, "a@1")).toMatchObject({ left: 0 });
  });

  it.each(["b", "a@2", "a@", "a@1@1", "a-1", ""])("names what there is when asked for %j", async (wanted) => {
    const store = await emptyStore();
    await importFiles(store, bundleOf("a", 1, {}));
    const before = await store.readIndex();
    await expect(removeBundles(store, wanted)).rejects.toMatchObject({ code: "USAGE", hint: "It has: a@1" });
    expect(await store.readIndex()).toEqual(before);
  });
});

describe("rememberBundle", () => {
  it("keeps what an importer noted on the very same bundle, and its signature", async () => {
    const store = await emptyStore();
    const contents = { "o/r/b": "b" };
    await importFiles(store, bundleOf("a", 1, contents));
    const before = await store.readIndex();
    for (const signers of [[], [builderKey.signer]]) {
      await rememberBundle(store, renderBundle(documentOf("a", 1, contents), signers));
      const { manifests } = await store.readIndex();
      expect(new Set(manifests)).toEqual(new Set(before.manifests));
    }
  });
});

describe("mergeBundle", () => {
  const entry = (name: string, text: string): Descriptor => ({
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    digest: digestOf(text),
    size: text.length,
    annotations: { [ANNOTATION_REF_NAME]: name },
  });
  const tag = (text: string): string => `sha256-${digestOf(text).slice(7)}.sig`;
  const index = (...manifests: Descriptor[]): Index => ({ schemaVersion: 2, manifests });

  it("replaces a bundle of the same name together with its signature", () => {
    const before = index(entry("a-1", "old"), entry(tag("old"), "sig"), entry("b-1", "b"));
    expect(mergeBundle(before, [entry("a-1", "new")])).toEqual(index(entry("b-1", "b"), entry("a-1", "new")));
  });

  it("keeps the signature of the same bundle that comes without, and replaces one that comes anew", () => {
    const before = index(entry("a-1", "x"), entry(tag("x"), "sig"));
    expect(mergeBundle(before, [entry("a-1", "x")])).toBe(before);
    expect(mergeBundle(before, [entry("a-1", "x"), entry(tag("x"), "sig2")])).toEqual(
      index(entry("a-1", "x"), entry(tag("x"), "sig2")),
    );
  });

  it("reads name and counter from a name with dashes and digits", () => {
    expect(nameAndCounter(entry("site-a-2-13", "x"))).toEqual({ name: "site-a-2", counter: 13 });
    expect(nameAndCounter(entry("latest", "x"))).toEqual({ name: "latest", counter: 0 });
  });
});
