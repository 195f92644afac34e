import { execFile } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir, open, readdir, readFile, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { writeTar } from "../../src/archive/bundle-tar.ts";
import type { LayoutEntry } from "../../src/archive/layout-entry.ts";
import { openTarFile } from "../../src/archive/tar-file-source.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { createHashPool } from "../../src/lib/hash-pool.ts";
import { blobName } from "../../src/wire/oci.ts";
import { tmpDir } from "../support/tmp.ts";

const run = promisify(execFile);
const mtime = new Date("2026-10-10T00:00:00Z");
const ROOT = join(import.meta.dirname, "../..");

function small(name: string, text: string): LayoutEntry {
  return { name, size: Buffer.byteLength(text), content: Buffer.from(text) };
}

async function fileEntry(folder: string, content: Buffer): Promise<LayoutEntry> {
  const path = join(folder, digestOf(content).slice(7, 20));
  await writeFile(path, content);
  return { name: blobName(digestOf(content)), size: content.length, content: path };
}

describe("writeTar", () => {
  it("writes what GNU tar reads: names, sizes, modes, owner and time", async () => {
    const folder = await tmpDir();
    const output = join(folder, "bundle.tar");
    const big = Buffer.alloc(2_500_000, "content");
    const entries = [
      small("oci-layout", "{}"),
      await fileEntry(folder, big),
      await fileEntry(folder, Buffer.alloc(0)),
      await fileEntry(folder, Buffer.from("x")),
    ];
    const written = await writeTar(output, entries, { mtime });
    expect((await stat(output)).size).toBe(written);
    const { stdout } = await run("tar", ["-tvf", output, "--numeric-owner", "--utc"]);
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => line.replaceAll(/ +/g, " ")),
    ).toEqual(entries.map(({ name, size }) => `-rw-r--r-- 0/0 ${size} 2026-10-10 00:00 ${name}`));
    const { stdout: bytes } = await run("tar", ["-xOf", output, blobName(digestOf(big))], {
      maxBuffer: 1e8,
      encoding: "buffer",
    });
    expect(digestOf(bytes)).toBe(digestOf(big));
    expect((await stat(output)).mode & 0o777).toBe(0o644);
    expect((await readdir(folder)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("writes at most 1.02 times the content", async () => {
    const folder = await tmpDir();
    const entries = await Promise.all(
      [1, 2, 3, 4].map((n) => fileEntry(folder, Buffer.alloc(300_000 + n, `${n}`))),
    );
    const written = await writeTar(join(folder, "out.tar"), entries, { mtime });
    expect(written / entries.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(1.02);
  });

  it("B22: gives the same bytes whatever the umask, the time zone and the clock, to a file and to a stream", async () => {
    const folder = await tmpDir();
    const code = `
      const { writeTar } = await import(process.argv[1]);
      const entries = [
        { name: "index.json", size: 2, content: Buffer.from("{}") },
        { name: "blobs/sha256/" + "a".repeat(64), size: 5, content: process.argv[3] },
      ];
      await writeTar(process.argv[2], entries, { mtime: new Date("2026-10-10T00:00:00Z") });`;
    const blob = join(folder, "blob");
    await writeFile(blob, "12345", { mode: 0o600 });
    const module = new URL("../../src/archive/bundle-tar.ts", import.meta.url).href;
    const build = async (name: string, umask: string, zone: string): Promise<Buffer> => {
      const output = join(folder, name);
      const node = ["--import", "tsx", "--input-type=module", "-e", code, module, output, blob];
      await run("sh", ["-c", `umask ${umask}; exec "$0" "$@"`, process.execPath, ...node], {
        cwd: ROOT,
        env: { PATH: process.env["PATH"], TZ: zone },
      });
      expect((await stat(output)).mode & 0o777).toBe(0o644);
      return readFile(output);
    };
    const first = await build("one.tar", "022", "UTC");
    expect((await build("two.tar", "077", "Asia/Kathmandu")).equals(first)).toBe(true);
    const stream = new PassThrough();
    const entries = [
      small("index.json", "{}"),
      { name: `blobs/sha256/${"a".repeat(64)}`, size: 5, content: blob },
    ];
    const [streamed] = await Promise.all([buffer(stream), writeTar(stream, entries, { mtime })]);
    expect(streamed.equals(first)).toBe(true);
  });

  it("keeps every byte when many chunks travel at once", async () => {
    const folder = await tmpDir();
    const contents = Array.from({ length: 8 }, (_, i) => Buffer.alloc(3_000_001 + i, `${i} repeated `));
    const entries = await Promise.all(contents.map((content) => fileEntry(folder, content)));
    const pool = createHashPool(2);
    for (let round = 0; round < 3; round++) {
      await writeTar(join(folder, "out.tar"), entries, { mtime });
      const source = await openTarFile(join(folder, "out.tar"), pool);
      for await (const entry of source.entries()) expect(blobName(await entry.digest())).toBe(entry.name);
      await source.close();
    }
    await pool.close();
  });

  it("tells of its progress", async () => {
    const folder = await tmpDir();
    let seen = 0;
    const entries = [
      await fileEntry(folder, Buffer.alloc(2_500_000)),
      await fileEntry(folder, Buffer.alloc(7)),
    ];
    await writeTar(join(folder, "out.tar"), entries, { mtime, onBytes: (bytes) => (seen += bytes) });
    expect(seen).toBe(2_500_007);
  });

  it("takes sizes of 8 GiB and more, which GNU tar reads", async () => {
    const folder = await tmpDir();
    const path = join(folder, "huge");
    const size = 8 * 1024 ** 3;
    await writeFile(path, "");
    await truncate(path, size);
    const stop = new AbortController();
    const stream = new PassThrough();
    const writing = writeTar(stream, [{ name: `blobs/sha256/${"b".repeat(64)}`, size, content: path }], {
      mtime,
      signal: stop.signal,
    });
    const failed = expect(writing).rejects.toMatchObject({ code: "INTERRUPTED" });
    const head = await new Promise<Buffer>((resolve) => stream.once("data", resolve));
    stop.abort();
    await failed;
    await writeFile(join(folder, "head.tar"), head.subarray(0, 512));
    const listing = await run("tar", ["-tvf", join(folder, "head.tar")]).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(listing.stdout).toContain(` ${size} `);
  });
});

describe("a tar that cannot be written", () => {
  it("B20: a full disk is DISK_FULL", async () => {
    const folder = await tmpDir();
    const entry = await fileEntry(folder, Buffer.alloc(3_000_000));
    await expect(writeTar(createWriteStream("/dev/full"), [entry], { mtime })).rejects.toMatchObject({
      code: "DISK_FULL",
    });
  });

  it("B3: leaves nothing under the name, and what was there before stays", async () => {
    const folder = await tmpDir();
    const output = join(folder, "out.tar");
    await writeFile(output, "the old bundle");
    const good = await fileEntry(folder, Buffer.alloc(3_000_000));
    const gone = { ...good, content: join(folder, "gone") };
    const failures: [LayoutEntry[], string][] = [
      [[good, gone], "FILE_UNREADABLE"],
      [[good, { ...good, size: 2_999_999 }], "STORE_DAMAGED"],
      [[good, { ...good, size: 3_000_001 }], "STORE_DAMAGED"],
      [[good, { ...good, content: folder, size: (await stat(folder)).size }], "FILE_UNREADABLE"],
    ];
    for (const [entries, code] of failures) {
      await expect(writeTar(output, entries, { mtime })).rejects.toMatchObject({ code });
    }
    expect(await readFile(output, "utf8")).toBe("the old bundle");
    expect((await readdir(folder)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("notices a file that grows or shrinks while it is packed", async () => {
    const folder = await tmpDir();
    const first = await fileEntry(folder, Buffer.alloc(4_000_000));
    const path = first.content as string;
    for (const size of [1_000_000, 5_000_000]) {
      await truncate(path, 4_000_000);
      let done = false;
      const resize = (): void => {
        if (!done) void truncate(path, size);
        done = true;
      };
      const slow = new PassThrough({ highWaterMark: 1 });
      const writing = writeTar(slow, [first], { mtime });
      slow.once("data", resize);
      slow.resume();
      await expect(writing).rejects.toMatchObject({ code: "STORE_DAMAGED" });
    }
  });

  it("stops when it is interrupted, between and within files", async () => {
    const folder = await tmpDir();
    const output = join(folder, "out.tar");
    const entry = await fileEntry(folder, Buffer.alloc(5_000_000));
    const stop = new AbortController();
    const options = {
      mtime,
      signal: stop.signal,
      onBytes: () => {
        stop.abort();
      },
    };
    await expect(writeTar(output, [entry, entry], options)).rejects.toMatchObject({ code: "INTERRUPTED" });
    await expect(writeTar(output, [entry], options)).rejects.toMatchObject({ code: "INTERRUPTED" });
    expect((await readdir(folder)).sort()).toEqual([(entry.content as string).slice(folder.length + 1)]);
  });

  it("does not take the place of a device or a folder", async () => {
    const folder = await tmpDir();
    await symlink("/dev/null", join(folder, "null"));
    await mkdir(join(folder, "folder"));
    for (const name of ["null", "folder"]) {
      await expect(writeTar(join(folder, name), [], { mtime })).rejects.toMatchObject({
        code: "FILE_UNWRITABLE",
      });
    }
    await expect(writeTar(join(folder, "no", "x.tar"), [], { mtime })).rejects.toMatchObject({
      code: "FILE_UNWRITABLE",
    });
  });

  it.each([new Date(-1000), new Date(2 ** 31 * 1000), new Date(1500), new Date(Number.NaN)])(
    "refuses the time %s, which the format cannot hold",
    async (bad) => {
      const output = join(await tmpDir(), "out.tar");
      await expect(writeTar(output, [], { mtime: bad })).rejects.toMatchObject({ code: "USAGE" });
    },
  );

  it("lets go of every file when it fails", async () => {
    const folder = await tmpDir();
    const entry = await fileEntry(folder, Buffer.alloc(5_000_000));
    const handle = await open(entry.content as string, "r");
    await handle.close();
    const before = (await readdir("/proc/self/fd")).length;
    for (let i = 0; i < 5; i++) {
      const stream = createWriteStream("/dev/full");
      await expect(writeTar(stream, [entry], { mtime })).rejects.toMatchObject({ code: "DISK_FULL" });
    }
    await expect.poll(async () => (await readdir("/proc/self/fd")).length).toBeLessThanOrEqual(before);
  });
});
