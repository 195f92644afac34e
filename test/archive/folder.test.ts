import { chmod, link, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { writeLayoutFolder } from "../../src/archive/folder-writer.ts";
import type { LayoutEntry } from "../../src/archive/layout-entry.ts";
import { openBundleSource } from "../../src/archive/open-source.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { createHashPool } from "../../src/lib/hash-pool.ts";
import { openLayoutStore } from "../../src/store/layout-store.ts";
import { blobName } from "../../src/wire/oci.ts";
import { readAll } from "../support/bundle-inputs.ts";
import { collect } from "../support/collect.ts";
import { tmpDir } from "../support/tmp.ts";

const pool = createHashPool(1);
afterAll(() => pool.close());

function small(name: string, text: string): LayoutEntry {
  return { name, size: text.length, content: Buffer.from(text) };
}

type Layout = [LayoutEntry, LayoutEntry, LayoutEntry & { content: string }];

async function layout(folder: string, text = "a blob"): Promise<Layout> {
  const store = await openLayoutStore(join(folder, "store"));
  const digest = await store.putSmall(Buffer.from(text));
  return [
    small("oci-layout", "{}"),
    small("index.json", "{}"),
    { name: blobName(digest), size: text.length, content: store.pathOf(digest) },
  ];
}

describe("writeLayoutFolder", () => {
  it("links blobs, so that they are on disk once, and gives what is read again", async () => {
    const folder = await tmpDir();
    const entries = await layout(folder);
    const target = join(folder, "bundle");
    let seen = 0;
    expect(await writeLayoutFolder(`${target}/`, entries, { onBytes: (bytes) => (seen += bytes) })).toBe(10);
    expect(seen).toBe(10);
    const blob = entries[2];
    expect((await stat(join(target, blob.name))).ino).toBe((await stat(blob.content)).ino);
    expect((await stat(join(target, "index.json"))).mode & 0o777).toBe(0o644);
    const source = await openBundleSource(target, pool);
    expect(source.seekable).toBe(true);
    expect(await readAll(source)).toEqual({ "oci-layout": "{}", "index.json": "{}", [blob.name]: "a blob" });
    expect((await readdir(folder)).sort()).toEqual(["bundle", "store"]);
  });

  it("copies where it cannot link, once", async () => {
    const folder = await tmpDir();
    const memory = "/dev/shm";
    const entries = await layout(folder);
    const elsewhere = join(memory, `ferry-test-${process.pid}`);
    try {
      await mkdir(elsewhere);
      await writeLayoutFolder(join(elsewhere, "bundle"), entries);
      const name = entries[2].name;
      expect(await readFile(join(elsewhere, "bundle", name), "utf8")).toBe("a blob");
      expect(await readdir(elsewhere)).toEqual(["bundle"]);
    } finally {
      await rm(elsewhere, { recursive: true, force: true });
    }
  });

  it("replaces an earlier bundle or an empty folder, and nothing else", async () => {
    const folder = await tmpDir();
    const target = join(folder, "bundle");
    await mkdir(target);
    await writeLayoutFolder(target, await layout(folder, "old"));
    await writeLayoutFolder(target, await layout(folder, "new"));
    const source = await openBundleSource(target, pool);
    expect(Object.values(await readAll(source))).toEqual(["{}", "{}", "new"]);

    const thesis = join(folder, "thesis");
    await mkdir(thesis);
    await writeFile(join(thesis, "chapter1"), "");
    await writeFile(join(folder, "file"), "");
    const almost = join(folder, "almost");
    await mkdir(almost);
    await writeFile(join(almost, "index.json"), "{}");
    for (const other of [thesis, join(folder, "file"), join(folder, "store"), almost]) {
      await expect(writeLayoutFolder(other, await layout(folder))).rejects.toMatchObject({
        code: "FILE_UNWRITABLE",
        message: expect.stringContaining(other) as string,
      });
    }
    expect(await readdir(thesis)).toEqual(["chapter1"]);
    expect((await readdir(folder)).sort()).toEqual(["almost", "bundle", "file", "store", "thesis"]);
  });

  it("B3: leaves nothing when it fails or is interrupted, and the earlier bundle stays", async () => {
    const folder = await tmpDir();
    const target = join(folder, "bundle");
    const entries = await layout(folder);
    await writeLayoutFolder(target, entries);
    const blob = entries[2];
    const stop = new AbortController();
    stop.abort();
    await expect(writeLayoutFolder(target, entries, { signal: stop.signal })).rejects.toMatchObject({
      code: "INTERRUPTED",
    });
    const failures: [LayoutEntry, string][] = [
      [{ ...blob, size: 5 }, "STORE_DAMAGED"],
      [{ ...blob, content: join(folder, "gone") }, "FILE_UNWRITABLE"],
    ];
    for (const [bad, code] of failures) {
      await expect(writeLayoutFolder(target, [...entries.slice(0, 2), bad])).rejects.toMatchObject({ code });
    }
    expect((await readdir(folder)).sort()).toEqual(["bundle", "store"]);
    expect(await collect((await openBundleSource(target, pool)).entries())).toHaveLength(3);
  });
});

describe("a bundle in a folder", () => {
  it("refuses whatever is not the layout's: other files, folders, links, a store", async () => {
    const folder = await tmpDir();
    const target = join(folder, "bundle");
    const entries = await layout(folder);
    const name = blobName(digestOf("linked"));
    const outside = join(folder, "outside");
    await writeFile(outside, "linked");
    const spoil: [string, () => Promise<unknown>][] = [
      ["README", () => writeFile(join(target, "README"), "")],
      ["is a link", () => symlink(outside, join(target, name))],
      ["blobs/sha512", () => mkdir(join(target, "blobs", "sha512"))],
      ["blobs/sha256/x", () => writeFile(join(target, "blobs", "sha256", "x"), "")],
      ["a store, not a bundle", () => mkdir(join(target, "ferry"))],
      ["index.json", () => mkdir(join(target, "index.json"))],
    ];
    for (const [message, damage] of spoil) {
      await rm(target, { recursive: true, force: true });
      await writeLayoutFolder(
        target,
        entries.filter(({ name: n }) => message !== "index.json" || n !== "index.json"),
      );
      await damage();
      await expect(readAll(await openBundleSource(target, pool))).rejects.toMatchObject({
        code: "BUNDLE_MALFORMED",
        message: expect.stringContaining(message) as string,
      });
    }
  });

  it("takes a hard link for the file that it is", async () => {
    const folder = await tmpDir();
    const target = join(folder, "bundle");
    await writeLayoutFolder(target, await layout(folder));
    await writeFile(join(folder, "other"), "linked");
    await link(join(folder, "other"), join(target, blobName(digestOf("linked"))));
    expect(Object.values(await readAll(await openBundleSource(target, pool)))).toContain("linked");
  });

  it("is an empty list when the folder is empty, and names what it cannot read", async () => {
    const folder = await tmpDir();
    expect(await readAll(await openBundleSource(folder, pool))).toEqual({});
    const target = join(folder, "bundle");
    await writeLayoutFolder(target, await layout(folder));
    const source = await openBundleSource(target, pool);
    const [first] = await collect(source.entries());
    await rm(join(target, "oci-layout"));
    await expect(first?.bytes()).rejects.toMatchObject({ code: "FILE_UNREADABLE" });
    await expect(first?.digest()).rejects.toMatchObject({ code: "FILE_UNREADABLE" });
    await symlink(join(target, "index.json"), join(target, "oci-layout"));
    await expect(first?.bytes()).rejects.toMatchObject({ code: "FILE_UNREADABLE" });
    await chmod(target, 0o755);
  });
});
