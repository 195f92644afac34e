import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Header } from "tar";
import { describe, expect, it } from "vitest";
import { extractSafe, listSafe } from "../../src/archive/untar-safe.ts";
import { type TarMember, tarGzOf, tarOf } from "../support/archives/tar-gz.ts";
import { tmpDir } from "../support/tmp.ts";

/** An innocent first file, so that a refusal that comes too late would show. */
const innocent: TarMember = { path: "top/README", content: "hello" };
const link = (path: string, linkpath: string): TarMember => ({ path, linkpath, type: "SymbolicLink" });
const hard = (path: string, linkpath: string): TarMember => ({ path, linkpath, type: "Link" });

/** Extraction is refused with ARCHIVE_UNSAFE, and there is nothing in the world that was not there before. */
async function refused(bytes: Buffer, strip = 0): Promise<string> {
  const folder = await tmpDir();
  const path = join(folder, "engine.tar.gz");
  await mkdir(join(folder, "inner"));
  await writeFile(join(folder, "victim"), "untouched");
  await writeFile(path, bytes);
  const error: unknown = await extractSafe(path, join(folder, "inner", "engine"), { strip }).catch(
    (e: unknown) => e,
  );
  expect(error).toMatchObject({ code: "ARCHIVE_UNSAFE", message: expect.stringContaining(path) as string });
  expect((await readdir(folder)).sort()).toEqual(["engine.tar.gz", "inner", "victim"]);
  expect(await readdir(join(folder, "inner"))).toEqual([]);
  expect(await readFile(join(folder, "victim"), "utf8")).toBe("untouched");
  return (error as Error).message;
}

describe("B23: hostile engine archives are refused before anything is written", () => {
  it.each<[string, TarMember[]]>([
    ["path traversal: ../ at the beginning", [{ path: "../victim", content: "owned" }]],
    ["path traversal: ../ in the middle", [{ path: "top/../../victim", content: "owned" }]],
    ["path traversal: ../ that stays inside", [{ path: "top/x/../y", content: "owned" }]],
    ["path traversal: a folder", [{ path: "../inner2/", type: "Directory" }]],
    ["absolute path", [{ path: "/etc/cron.d/owned", content: "owned" }]],
    ["absolute path with more slashes", [{ path: "//etc/owned", content: "owned" }]],
    ["backslash", [{ path: "top\\..\\..\\victim", content: "owned" }]],
    ["control character", [{ path: "top/a\u001b[2Jb", content: "owned" }]],
    ["absolute symlink", [link("top/x", "/etc/passwd")]],
    ["symlink out of the tree", [link("top/x", "../../victim")]],
    ["symlink out of the tree, from the root", [link("x", "..")]],
    ["symlink that goes down and up again", [link("top/a/x", "../b/../../../victim")]],
    [
      "chain of symlinks that climbs step by step",
      [link("top/a/up", "../.."), link("top/a/out", "up/../victim")],
    ],
    ["symlink with a backslash", [link("top/x", "..\\..\\victim")]],
    ["symlink to nothing but dots", [link("top/x", ".../../../../victim")]],
    ["link, then write through it", [link("top/dir", "."), { path: "top/dir/file", content: "owned" }]],
    ["link, then write over it", [link("top/file", "README"), { path: "top/file", content: "owned" }]],
    ["link in place of a folder in use", [{ path: "top/dir/file", content: "x" }, link("top/dir", ".")]],
    ["write through a file", [{ path: "top/README/x", content: "owned" }]],
    [
      "link, then write through its name in other case",
      [link("top/Dir", "."), { path: "top/dir/file", content: "owned" }],
    ],
    [
      "link, then a file of its name in other case",
      [link("top/Dir", "."), { path: "top/dir", content: "owned" }],
    ],
    ["the same file twice", [{ path: "top/README", content: "other" }]],
    ["hard link out of the tree", [hard("top/x", "../victim")]],
    ["absolute hard link", [hard("top/x", "/etc/passwd")]],
    ["hard link to what is not in the archive", [hard("top/x", "top/missing")]],
    ["hard link to a symlink", [link("top/l", "README"), hard("top/x", "top/l")]],
    ["hard link before its file", [hard("top/x", "top/late"), { path: "top/late", content: "" }]],
    ["character device", [{ path: "top/null", type: "CharacterDevice" }]],
    ["fifo", [{ path: "top/fifo", type: "FIFO" }]],
    ["set-user-id", [{ path: "top/su", content: "owned", mode: 0o4755 }]],
    ["set-group-id", [{ path: "top/sg", content: "owned", mode: 0o2755 }]],
  ])("%s", async (_class, members) => {
    await refused(tarGzOf([innocent, ...members]));
  });

  it("Unicode: two spellings of one name, composed and decomposed, or wide", async () => {
    for (const [first, second] of [
      ["top/caf\u00e9", "top/cafe\u0301"],
      ["top/\uff41", "top/a"],
    ] as const) {
      await refused(gzipSync(Buffer.concat([paxFile(first), paxFile(second), Buffer.alloc(1024)])));
    }
  });

  it("the refusal names the member, escaped, and why", async () => {
    const message = await refused(tarGzOf([innocent, { path: "../\u001b]0;owned\u0007", content: "" }]));
    expect(message).toContain("is refused:");
    // eslint-disable-next-line no-control-regex -- that there are none is what is tested
    expect(message).not.toMatch(/[\u0000-\u001f]/);
  });

  it("strip: links and files that would land above the stripped folder", async () => {
    await refused(tarGzOf([innocent, link("top/x", "../victim")]), 1);
    await refused(tarGzOf([innocent, { path: "file-beside-top", content: "x" }]), 1);
    await refused(tarGzOf([innocent, hard("top/x", "README")]), 1);
  });

  it("unknown kinds that a parser would pass over in silence: sparse file, volume label", async () => {
    for (const type of ["S", "V", "Z", "4"]) {
      const bytes = tarOf([innocent, { path: "top/odd", content: "" }]);
      const header = bytes.subarray(1024, 1536);
      header.write(type, 156);
      header.fill(0x20, 148, 156);
      header.write(
        `${header
          .reduce((a, b) => a + b, 0)
          .toString(8)
          .padStart(6, "0")}\0 `,
        148,
      );
      await refused(gzipSync(bytes));
    }
  });

  it("bombs: too many members, too many bytes, too great a ratio", async () => {
    const path = join(await tmpDir(), "bomb.tar.gz");
    await writeFile(
      path,
      tarGzOf(Array.from({ length: 30 }, (_, i) => ({ path: `f${i}`, content: "12345" }))),
    );
    await expect(listSafe(path, { limits: { members: 29, bytes: 1e9 } })).rejects.toMatchObject({
      code: "ARCHIVE_UNSAFE",
    });
    await expect(listSafe(path, { limits: { members: 30, bytes: 149 } })).rejects.toMatchObject({
      code: "ARCHIVE_UNSAFE",
    });
    expect(await listSafe(path, { limits: { members: 30, bytes: 150 } })).toHaveLength(30);
    const zeros = gzipSync(tarOf([{ path: "zeros", content: Buffer.alloc(30_000_000) }]));
    const nested = join(await tmpDir(), "ratio.tar.gz");
    await writeFile(nested, zeros);
    await expect(listSafe(nested, { limits: { members: 10, bytes: 1_000_000 } })).rejects.toMatchObject({
      code: "ARCHIVE_UNSAFE",
    });
  });
});

/** A file whose name needs an extended header. */
function paxFile(path: string): Buffer {
  const record = ` path=${path}\n`;
  let length = Buffer.byteLength(record) + 2;
  if (String(length).length !== 2) length++;
  const body = Buffer.from(`${length}${record}`);
  const blocks = [
    { path: "PaxHeader/x", size: body.length, type: "ExtendedHeader" as const },
    { path: "x", size: 0, type: "File" as const },
  ].map((data) => {
    const block = Buffer.alloc(512);
    new Header({ mode: 0o644, uid: 0, gid: 0, mtime: new Date(0), ...data }).encode(block);
    return block;
  });
  return Buffer.concat([
    blocks[0] ?? Buffer.alloc(0),
    body,
    Buffer.alloc(512 - body.length),
    blocks[1] ?? Buffer.alloc(0),
  ]);
}
