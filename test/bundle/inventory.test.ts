import { rm, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { InventoryReport, takeInventory } from "../../src/bundle/inventory.ts";
import { removeBundles } from "../../src/bundle/store-bundles.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { silentLogger } from "../../src/log.ts";
import { bundleOf, emptyStore, importFiles } from "../support/mirror-store.ts";

it("lists each content that bundles name and the store holds, once", async () => {
  const store = await emptyStore();
  expect(await takeInventory(store, silentLogger)).toEqual({ formatVersion: 1, bundles: [], contents: [] });
  await importFiles(store, bundleOf("one", 1, { "o/r/a": "content a", "o/r/b": "content b" }));
  const { manifest } = await importFiles(store, bundleOf("two", 7, { "o/r/copy": "content a" }));
  await store.putSmall(Buffer.from("nobody names this"));
  const report = await takeInventory(store, silentLogger);
  expect(InventoryReport.parse(report)).toEqual(report);
  expect(report.bundles).toContainEqual({ name: "two", counter: 7, manifest });
  expect(report.contents).toEqual(
    [digestOf("content a"), digestOf("content b")].sort().map((digest) => ({ digest, size: 9 })),
  );
  await removeBundles(store, "one");
  expect((await takeInventory(store, silentLogger)).contents).toEqual([
    { digest: digestOf("content a"), size: 9 },
  ]);
});

it("counts nothing as held that is absent, cut, or of a bundle that cannot be read, and says so", async () => {
  const store = await emptyStore();
  await importFiles(store, bundleOf("one", 1, { "o/r/a": "content a", "o/r/b": "content b", "o/r/c": "c" }));
  const { manifest } = await importFiles(store, bundleOf("two", 7, { "o/r/d": "d" }));
  await rm(store.pathOf(digestOf("content a")));
  await writeFile(store.pathOf(digestOf("content b")), "cut");
  await writeFile(store.pathOf(manifest), "{}");
  const warnings: string[] = [];
  const report = await takeInventory(store, { ...silentLogger, warn: (text) => void warnings.push(text) });
  expect(report.contents).toEqual([{ digest: digestOf("c"), size: 1 }]);
  expect(warnings.join("\n")).toMatch(/two 7.*\n.*2 contents are absent or cut/);
});
