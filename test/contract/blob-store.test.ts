import { writeFile } from "node:fs/promises";
import { openLayoutStore } from "../../src/store/layout-store.ts";
import { memoryStore } from "../support/memory-store.ts";
import { tmpDir } from "../support/tmp.ts";
import { blobStoreContract } from "./blob-store.ts";

blobStoreContract("the layout store", async () => {
  const store = await openLayoutStore(await tmpDir());
  return { store, damage: (digest, bytes) => writeFile(store.pathOf(digest), bytes) };
});

blobStoreContract("the store in memory", () => {
  const store = memoryStore();
  return Promise.resolve({
    store,
    damage: (digest, bytes) => {
      store.blobs.set(digest, Buffer.from(bytes));
      return Promise.resolve();
    },
  });
});
