import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, readlink, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { extractSafe, listSafe } from "../../src/archive/untar-safe.ts";
import { llamaArchive } from "../support/archives/llamacpp.ts";
import { type TarMember, tarGzOf, tarOf } from "../support/archives/tar-gz.ts";
import { tmpDir } from "../support/tmp.ts";

const run = promisify(execFile);

async function archive(
  members: readonly TarMember[],
): Promise<{ folder: string; path: string; into: string }> {
  const folder = await tmpDir();
  const path = join(folder, "engine.tar.gz");
  await writeFile(path, tarGzOf(members));
  return { folder, path, into: join(folder, "engine") };
}

describe("extractSafe", () => {
  it("B23: a normal llama.cpp archive unpacks whole, with its chains of links and its exec bits, and runs", async () => {
    const folder = await tmpDir();
    const path = join(folder, "llama.tar.gz");
    await writeFile(path, llamaArchive({ tag: "b11347", target: "ubuntu-x64", size: 3_000_000 }));
    const into = join(folder, "engine");
    const members = await extractSafe(path, into, { strip: 1 });
    await mkdir(join(folder, "reference"));
    await run("tar", [
      "-xzf",
      path,
      "-C",
      join(folder, "reference"),
      "--strip-components=1",
      "--no-same-owner",
    ]);
    await run("diff", ["-r", "--no-dereference", into, join(folder, "reference")]);
    expect(members.filter(({ kind }) => kind === "symlink").length).toBeGreaterThan(4);
    for (const { path: name, kind, mode, target } of members) {
      if (kind === "symlink") expect(await readlink(join(into, name))).toBe(target);
      else expect((await stat(join(into, name))).mode & 0o777).toBe(mode);
    }
    const { stderr } = await run(join(into, "llama-server"), ["--version"]);
    expect(stderr).toContain("version: 11347");
    expect((await readdir(folder)).sort()).toEqual(["engine", "llama.tar.gz", "reference"]);
  });

  it("sets modes as in the archive, whatever the umask", async () => {
    const { path, into } = await archive([
      { path: "top/", type: "Directory", mode: 0o755 },
      { path: "top/tool", content: "#!/bin/sh", mode: 0o755 },
      { path: "top/data", content: "x", mode: 0o644 },
    ]);
    const before = process.umask(0o077);
    try {
      await extractSafe(path, into);
    } finally {
      process.umask(before);
    }
    expect((await stat(join(into, "top/tool"))).mode & 0o777).toBe(0o755);
    expect((await stat(join(into, "top/data"))).mode & 0o777).toBe(0o644);
    expect((await stat(join(into, "top"))).mode & 0o777).toBe(0o755);
  });

  it("takes what real archives hold: ./ before names, hard links, upward links, names that differ by case", async () => {
    const { path, into } = await archive([
      { path: "./", type: "Directory" },
      { path: "./top/", type: "Directory" },
      { path: "./top/bin/tool", content: "tool" },
      { path: "./top/bin/alias", type: "Link", linkpath: "./top/bin/tool" },
      { path: "./top/lib/up", type: "SymbolicLink", linkpath: "../bin/tool" },
      { path: "./top/lib/later", type: "SymbolicLink", linkpath: "./not-yet.so" },
      { path: "./top/lib/not-yet.so", content: "so" },
      { path: "./top/share/terminfo/E/eterm", content: "1" },
      { path: "./top/share/terminfo/e/Eterm", content: "2" },
      { path: "./top/share/terminfo/e/eterm", content: "3" },
    ]);
    const members = await extractSafe(path, into, { strip: 1 });
    expect(members.map((member) => member.path)).toContain("bin/alias");
    expect((await stat(join(into, "bin/alias"))).ino).toBe((await stat(join(into, "bin/tool"))).ino);
    expect(await readFile(join(into, "lib/up"), "utf8")).toBe("tool");
    expect(await readFile(join(into, "lib/later"), "utf8")).toBe("so");
    expect(await readFile(join(into, "share/terminfo/e/Eterm"), "utf8")).toBe("2");
  });

  it("reads long names and plain tars as GNU tar writes them", async () => {
    const folder = await tmpDir();
    const long = join("x".repeat(90), "y".repeat(90), `${"z".repeat(150)}.so`);
    await mkdir(join(folder, "in", long, ".."), { recursive: true });
    await writeFile(join(folder, "in", long), "deep");
    for (const format of ["gnu", "posix"]) {
      const path = join(folder, `${format}.tar`);
      await run("tar", [`--format=${format}`, "-cf", path, "-C", join(folder, "in"), "."]);
      await extractSafe(path, join(folder, format));
      expect(await readFile(join(folder, format, long), "utf8")).toBe("deep");
    }
  });

  it("extracts into an absent or an empty folder alone", async () => {
    const { path, into } = await archive([{ path: "file", content: "new" }]);
    await mkdir(into);
    await extractSafe(path, into);
    await expect(extractSafe(path, into)).rejects.toMatchObject({ code: "FILE_UNWRITABLE" });
    expect(await readdir(into)).toEqual(["file"]);
  });

  it("leaves nothing behind when it is interrupted or cannot write", async () => {
    const { folder, path, into } = await archive([{ path: "file", content: Buffer.alloc(500_000) }]);
    const stop = new AbortController();
    stop.abort();
    await expect(extractSafe(path, into, { signal: stop.signal })).rejects.toMatchObject({
      code: "INTERRUPTED",
    });
    await expect(extractSafe(path, join(path, "x"))).rejects.toMatchObject({ code: "FILE_UNWRITABLE" });
    expect(await readdir(folder)).toEqual(["engine.tar.gz"]);
  });
});

describe("listSafe", () => {
  it("tells what is in an archive and writes nothing", async () => {
    const { folder, path } = await archive([
      { path: "top/", type: "Directory" },
      { path: "top/a", content: "12345", mode: 0o755 },
      { path: "top/b", type: "SymbolicLink", linkpath: "a" },
    ]);
    expect(await listSafe(path, { strip: 1 })).toEqual([
      { path: "a", kind: "file", mode: 0o755, size: 5, target: undefined },
      { path: "b", kind: "symlink", mode: 0o644, size: 0, target: "a" },
    ]);
    expect(await readdir(folder)).toEqual(["engine.tar.gz"]);
  });

  it("passes over a large archive in pieces", async () => {
    const { path } = await archive(
      Array.from({ length: 40 }, (_, i) => ({ path: `file${i}`, content: Buffer.alloc(100_000, `${i}`) })),
    );
    expect(await listSafe(path)).toHaveLength(40);
  });

  it.each([
    ["cut", (good: Buffer) => good.subarray(0, good.length - 400)],
    [
      "damaged",
      (good: Buffer) => Buffer.concat([good.subarray(0, 500), Buffer.alloc(300, 7), good.subarray(800)]),
    ],
    ["a web page", () => Buffer.from("<html>".repeat(300))],
    ["empty", () => Buffer.alloc(0)],
  ])("refuses an archive that is %s", async (_what, spoil) => {
    const path = join(await tmpDir(), "x.tar.gz");
    const good = gzipSync(
      tarOf([
        { path: "file", content: Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * i * 31) % 251)) },
      ]),
    );
    await writeFile(path, spoil(good));
    await expect(listSafe(path)).rejects.toMatchObject({
      code: "ARCHIVE_UNSAFE",
      message: expect.stringContaining(path) as string,
    });
  });

  it("names an archive that cannot be opened", async () => {
    await expect(listSafe(join(await tmpDir(), "no.tar.gz"))).rejects.toMatchObject({
      code: "FILE_UNREADABLE",
    });
  });

  it("notices a plain tar that was cut", async () => {
    const path = join(await tmpDir(), "x.tar");
    await writeFile(path, tarOf([{ path: "file", content: Buffer.alloc(5000) }]));
    await truncate(path, 3000);
    await expect(listSafe(path)).rejects.toMatchObject({ code: "ARCHIVE_UNSAFE" });
  });
});
