import { chmod, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Catalog } from "../../server/catalog.ts";
import { type CatalogWatch, watchCatalog } from "../../server/catalog-watch.ts";
import { viewStore } from "../../server/store-view.ts";
import type { Logger } from "../../src/log.ts";
import { fastClock } from "../support/fast-clock.ts";
import { type ServedStore, servedStore } from "../support/served-store.ts";
import { tmpDir } from "../support/tmp.ts";

let store: ServedStore;
let said: string[];
beforeEach(async () => {
  store = await servedStore(await tmpDir());
  said = [];
});

async function watch(pollMs = 0): Promise<CatalogWatch> {
  const logger: Logger = {
    debug: () => undefined,
    info: (message) => said.push(message),
    warn: (message) => said.push(`warning: ${message}`),
    progress: () => undefined,
  };
  const watched = await watchCatalog(viewStore(store.root), { clock: fastClock(), logger, pollMs });
  onTestFinished(() => {
    watched.close();
  });
  return watched;
}

const names = ({ bundles }: Catalog): string[] => bundles.map(({ document }) => document.name);
const warnings = (): string[] => said.filter((line) => line.startsWith("warning"));

describe("the catalog of a running mirror", () => {
  it("M2: shows a new import when its index is in place, and a removal", async () => {
    await store.add({ name: "a", files: { "a/1": "1" } });
    const watched = await watch();
    const before = watched.current();
    await store.add({ name: "b", files: { "b/1": "2" } });
    await watched.check();
    expect(names(watched.current())).toEqual(["a", "b"]);
    expect(names(before)).toEqual(["a"]);
    await store.remove("a");
    await watched.check();
    expect(names(watched.current())).toEqual(["b"]);
  });

  it("looks by itself, and does not look away while it loads", async () => {
    const watched = await watch(20);
    const second = new Promise<void>((resolve) => {
      watched.onChange((catalog) => {
        if (catalog.files === 2) resolve();
      });
    });
    await store.add({ name: "a", files: { "a/1": "1" } });
    await store.add({ name: "b", files: { "b/1": "2" } });
    await second;
    expect(names(watched.current()).sort()).toEqual(["a", "b"]);
  });

  it.each([
    ["is no JSON", (path: string) => replace(path, "{")],
    ["is no index", (path: string) => replace(path, '{"manifests":3}')],
    ["has vanished", (path: string) => rm(path)],
  ])("keeps what it has while index.json %s, says so once, and recovers", async (_what, harm) => {
    await store.add({ name: "a", files: { "a/1": "1" } });
    const watched = await watch();
    const before = watched.current();
    const index = join(store.root, "index.json");
    await rename(index, `${index}.good`);
    await writeFile(index, "");
    await harm(index);
    await watched.check();
    await watched.check();
    expect(watched.current()).toBe(before);
    expect(watched.problem()?.message).toMatch(/index\.json/);
    expect(warnings()).toHaveLength(1);

    await rename(`${index}.good`, index);
    await watched.check();
    expect(watched.problem()).toBeUndefined();
    expect(said.at(-1)).toBe("the store can be read again");
    expect(watched.current()).toBe(before);
  });

  it("keeps what it has while a new bundle's record is damaged, and takes it when it is whole", async () => {
    await store.add({ name: "a", files: { "a/1": "1" } });
    const watched = await watch();
    await store.add({ name: "b", files: { "b/1": "2" } });
    const { manifests } = await viewStore(store.root).readIndex();
    const manifest = store.blob(manifests.at(-1)?.digest ?? "sha256:");
    await rename(manifest, `${manifest}.away`);
    await watched.check();
    expect(names(watched.current())).toEqual(["a"]);
    expect(watched.problem()?.message).toMatch(/bundle b 1 cannot be read/);
    await rename(`${manifest}.away`, manifest);
    await watched.check();
    expect(names(watched.current())).toEqual(["a", "b"]);
  });

  it("sees a volume arrive that changes no index", async () => {
    const bundle = { name: "a", files: { "a/1": "1", "a/2": "2" } };
    await store.add(bundle, { without: ["a/2"] });
    const watched = await watch();
    expect(watched.current().files).toBe(1);
    await store.bring(bundle, "a/2");
    await watched.check();
    expect(watched.current().files).toBe(2);
    expect(said.at(-1)).toBe("catalog: 1 bundles, 2 files (2 contents, 2 B)");
  });

  it("starts with an empty store and fills later", async () => {
    await rm(store.root, { recursive: true });
    const watched = await watch();
    expect(watched.current().files).toBe(0);
    store = await servedStore(store.root);
    await store.add({ name: "a", files: { "a/1": "1" } });
    await watched.check();
    expect(watched.current().files).toBe(1);
  });

  it("does not start where the index cannot be read", async () => {
    await writeFile(join(store.root, "index.json"), "{");
    await expect(watch()).rejects.toMatchObject({ code: "STORE_DAMAGED" });
  });

  it("serves from a store that it may not write", async () => {
    await store.add({ name: "a", files: { "a/1": "1" } });
    await chmod(store.root, 0o555);
    const watched = await watch();
    expect(watched.current().files).toBe(1);
    await chmod(store.root, 0o755);
  });
});

async function replace(path: string, content: string): Promise<void> {
  await writeFile(`${path}.new`, content);
  await rename(`${path}.new`, path);
}
