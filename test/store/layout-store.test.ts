import { once } from "node:events";
import { link, mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { digestOf, hexOf } from "../../src/lib/digest.ts";
import { openLayoutStore } from "../../src/store/layout-store.ts";
import type { Descriptor } from "../../src/wire/oci.ts";
import { MEDIA_TYPE_MANIFEST } from "../../src/wire/oci.ts";
import { collect } from "../support/collect.ts";
import { tmpDir } from "../support/tmp.ts";

const content = Buffer.from("a blob");
const digest = digestOf(content);

function entry(text: string): Descriptor {
  return { mediaType: MEDIA_TYPE_MANIFEST, digest: digestOf(text), size: text.length };
}

describe("openLayoutStore", () => {
  it("makes an OCI layout on first use, with everything private under ferry/", async () => {
    const root = join(await tmpDir(), "new", "store");
    const store = await openLayoutStore(root);
    expect((await readdir(root)).sort()).toEqual(["blobs", "ferry", "index.json", "oci-layout"]);
    expect(await readFile(join(root, "oci-layout"), "utf8")).toBe('{"imageLayoutVersion":"1.0.0"}');
    expect((await store.readIndex()).manifests).toEqual([]);
  });

  it("opens what is there, and keeps its index", async () => {
    const root = await tmpDir();
    await (await openLayoutStore(root)).updateIndex((index) => ({ ...index, manifests: [entry("one")] }));
    expect((await (await openLayoutStore(root)).readIndex()).manifests).toEqual([entry("one")]);
  });

  it("can be opened by many at once", async () => {
    const root = join(await tmpDir(), "store");
    const stores = await Promise.all(Array.from({ length: 10 }, () => openLayoutStore(root)));
    await Promise.all(stores.map((store) => store.putSmall(content)));
    expect((await readdir(join(root, "blobs", "sha256"))).sort()).toEqual([hexOf(digest)]);
  });

  it("refuses a folder of other things, a layout of another version, and a torn index", async () => {
    const other = await tmpDir();
    await writeFile(join(other, "thesis.doc"), "");
    await expect(openLayoutStore(other)).rejects.toMatchObject({
      code: "FILE_UNWRITABLE",
      message: expect.stringContaining("thesis.doc") as string,
    });
    expect(await readdir(other)).toEqual(["thesis.doc"]);
    const newer = await tmpDir();
    await writeFile(join(newer, "oci-layout"), '{"imageLayoutVersion":"2.0.0"}');
    await expect(openLayoutStore(newer)).rejects.toMatchObject({ code: "STORE_DAMAGED" });
    const store = await openLayoutStore(await tmpDir());
    await writeFile(join(store.root, "index.json"), '{"schemaVersion":2,');
    await expect(store.readIndex()).rejects.toMatchObject({ code: "STORE_DAMAGED" });
    await expect(store.updateIndex((index) => index)).rejects.toMatchObject({ code: "STORE_DAMAGED" });
    await rm(join(store.root, "index.json"));
    await expect(store.readIndex()).rejects.toMatchObject({ code: "STORE_DAMAGED" });
  });

  it("names the path where it cannot write", async () => {
    const file = join(await tmpDir(), "file");
    await writeFile(file, "");
    await expect(openLayoutStore(join(file, "store"))).rejects.toMatchObject({
      code: "FILE_UNWRITABLE",
      message: expect.stringContaining(file) as string,
    });
  });
});

describe("the layout store's files", () => {
  it("B4: keeps an unfinished download between runs, out of the blobs", async () => {
    const root = await tmpDir();
    const path = await (await openLayoutStore(root)).partialPath("sha256:abc/../x");
    await writeFile(path, "half");
    const again = await openLayoutStore(root);
    expect(await again.partialPath("sha256:abc/../x")).toBe(path);
    expect(await readFile(path, "utf8")).toBe("half");
    expect(path.startsWith(join(root, "ferry", "partial"))).toBe(true);
    expect(await collect(again.list())).toEqual([]);
  });

  it("adopts a finished download under its final name, readable by all", async () => {
    const store = await openLayoutStore(await tmpDir());
    const path = await store.partialPath("x");
    await writeFile(path, content, { mode: 0o600 });
    await store.adopt(path, digest);
    expect(await store.readSmall(digest)).toEqual(content);
    expect((await stat(store.pathOf(digest))).mode & 0o777).toBe(0o644);
    await expect(stat(path)).rejects.toThrow("ENOENT");
    await expect(store.adopt(path, digest)).rejects.toMatchObject({ code: "FILE_UNWRITABLE" });
  });

  it("B5: removes a damaged blob so that it is fetched again, and says which state it found", async () => {
    const store = await openLayoutStore(await tmpDir());
    expect(await store.ensureGood(digest, content.length)).toBe("absent");
    await store.putSmall(content);
    expect(await store.ensureGood(digest, content.length)).toBe("ok");
    await writeFile(store.pathOf(digest), "partial");
    expect(await store.ensureGood(digest, content.length)).toBe("removed");
    expect(await store.stat(digest)).toBeUndefined();
  });

  it("does not remove a good blob because somebody states a wrong size", async () => {
    const store = await openLayoutStore(await tmpDir());
    await store.putSmall(content);
    await expect(store.ensureGood(digest, 7)).rejects.toMatchObject({ code: "SIZE_MISMATCH" });
    expect(await store.stat(digest)).toBe(content.length);
  });

  it("takes neither a link nor a folder under a blob's name for the blob", async () => {
    const store = await openLayoutStore(await tmpDir());
    const outside = join(await tmpDir(), "secret");
    await writeFile(outside, content);
    await symlink(outside, store.pathOf(digest));
    expect(await store.stat(digest)).toBeUndefined();
    expect(await store.verify(digest, content.length)).toBe("absent");
    await expect(buffer(store.read(digest))).rejects.toMatchObject({ code: "STORE_DAMAGED" });
    await store.putSmall(content);
    expect(await store.stat(digest)).toBe(content.length);
    expect(await readFile(outside)).toEqual(content);
    await store.delete(digest);
    await mkdir(store.pathOf(digest));
    expect(await store.stat(digest)).toBeUndefined();
    await expect(buffer(store.read(digest))).rejects.toMatchObject({ code: "STORE_DAMAGED" });
  });

  it("lists blobs alone, whatever else lies between them", async () => {
    const store = await openLayoutStore(await tmpDir());
    await store.putSmall(content);
    await writeFile(join(store.folders.blobs, `.${hexOf(digest)}.0123456789ab.tmp`), "half");
    await writeFile(join(store.folders.blobs, "README"), "");
    await mkdir(join(store.folders.blobs, hexOf(digestOf("folder"))));
    expect(await collect(store.list())).toEqual([{ digest, size: content.length }]);
  });

  it("reads ranges of a large blob, and lets go of its file when the reader leaves", async () => {
    const store = await openLayoutStore(await tmpDir());
    const big = Buffer.alloc(2_000_000, "abcdefg");
    const bigDigest = await store.putSmall(big);
    expect(
      (await buffer(store.read(bigDigest, { start: 999_999, end: 1_999_999 }))).equals(big.subarray(999_999)),
    ).toBe(true);
    const stream = store.read(bigDigest);
    const [chunk] = (await once(stream, "data")) as [Buffer];
    expect(chunk.length).toBe(512 * 1024);
    const closed = once(stream, "close");
    stream.destroy();
    await closed;
    const open = await readdir("/proc/self/fd").then((names) =>
      Promise.all(names.map((name) => readTarget(name))),
    );
    expect(open.filter((target) => target.includes(hexOf(bigDigest)))).toEqual([]);
  });

  it("replaces a blob without touching what a bundle's folder linked", async () => {
    const store = await openLayoutStore(await tmpDir());
    await store.putSmall(content);
    const linked = join(await tmpDir(), "linked");
    await link(store.pathOf(digest), linked);
    await store.putSmall(content);
    expect((await stat(linked)).nlink).toBe(1);
    expect(await readFile(linked)).toEqual(content);
  });
});

async function readTarget(name: string): Promise<string> {
  return readlink(`/proc/self/fd/${name}`).catch(() => "");
}

describe("updateIndex", () => {
  it("loses no change of many that come at once", async () => {
    const root = await tmpDir();
    const stores = await Promise.all([openLayoutStore(root), openLayoutStore(root), openLayoutStore(root)]);
    const names = Array.from({ length: 12 }, (_, i) => `bundle ${i}`);
    await Promise.all(
      names.map((name, i) =>
        (stores[i % 3] ?? stores[0]).updateIndex((index) => ({
          ...index,
          manifests: [...index.manifests, entry(name)],
        })),
      ),
    );
    const found = (await stores[0].readIndex()).manifests.map((manifest) => manifest.digest).sort();
    expect(found).toEqual(names.map((name) => digestOf(name)).sort());
  });

  it("leaves the index as it was when a change throws, and the lock free", async () => {
    const store = await openLayoutStore(await tmpDir());
    await store.updateIndex((index) => ({ ...index, manifests: [entry("one")] }));
    const failing = store.updateIndex(() => {
      throw new Error("no such bundle");
    });
    await expect(failing).rejects.toThrow("no such bundle");
    expect((await store.updateIndex((index) => index)).manifests).toEqual([entry("one")]);
    expect((await readdir(store.root)).sort()).toEqual(["blobs", "ferry", "index.json", "oci-layout"]);
  });
});
