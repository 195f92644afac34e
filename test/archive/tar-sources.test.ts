import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { Header, Pax } from "tar";
import { afterAll, describe, expect, it } from "vitest";
import { openBundleSource } from "../../src/archive/open-source.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { createHashPool } from "../../src/lib/hash-pool.ts";
import { tarOf } from "../support/archives/tar-gz.ts";
import { bothInputs, readAll } from "../support/bundle-inputs.ts";
import { collect } from "../support/collect.ts";
import { tmpDir } from "../support/tmp.ts";

const pool = createHashPool(2);
afterAll(() => pool.close());
const run = promisify(execFile);

const blob = (content: string): string => `blobs/sha256/${digestOf(content).slice(7)}`;
const members = [
  { path: "oci-layout", content: "{}" },
  { path: "index.json", content: '{"schemaVersion":2}' },
  ...["", "a", "b".repeat(511), "c".repeat(512), "d".repeat(513)].map((content) => ({
    path: blob(content),
    content,
  })),
];
const sound = tarOf(members);
const contents = Object.fromEntries(members.map(({ path, content }) => [path, content]));

describe("a sound tar", () => {
  it("is read the same from a file and from a stream", async () => {
    for (const source of await bothInputs(sound, pool)) expect(await readAll(source)).toEqual(contents);
  });

  it("gives sizes, digests, and content in pieces; what is not read is passed over", async () => {
    for (const source of await bothInputs(sound, pool)) {
      const read: string[] = [];
      for await (const entry of source.entries()) {
        expect(entry.size).toBe(contents[entry.name]?.length);
        if (entry.name === "index.json") continue;
        if (entry.name === "oci-layout") {
          expect(Buffer.concat(await collect(entry.stream())).toString()).toBe("{}");
        } else expect(`blobs/sha256/${(await entry.digest()).slice(7)}`).toBe(entry.name);
        read.push(entry.name);
      }
      expect(read).toHaveLength(members.length - 1);
      await source.close();
    }
  });

  it("lets a stream's entry be left in the middle, and refuses to go back to it", async () => {
    const [file, stream] = await bothInputs(sound, pool);
    if (file === undefined || stream === undefined) throw new Error("no stream");
    await file.close();
    const entries = [];
    for await (const entry of stream.entries()) {
      entries.push(entry);
      for await (const chunk of entry.stream()) {
        expect(chunk.length).toBeGreaterThan(0);
        break;
      }
    }
    expect(entries).toHaveLength(members.length);
    await expect(entries[0]?.bytes()).rejects.toThrow("was read already");
    await expect(collect(stream.entries())).rejects.toThrow("only once");
  });

  it("may be read by several at once, and more than once, from a file", async () => {
    const [file] = await bothInputs(sound, pool);
    const entries = file === undefined ? [] : await collect(file.entries());
    const twice = await Promise.all([...entries, ...entries].map((entry) => entry.digest()));
    expect(twice.slice(0, entries.length)).toEqual(twice.slice(entries.length));
    expect((await entries[1]?.bytes())?.toString()).toBe(contents["index.json"]);
    await file?.close();
  });

  it.each([["--format=gnu"], ["--format=posix"], ["--format=ustar", "-b", "1"], ["--format=v7"]])(
    "may come from GNU tar %s %s %s, with folders and ./ before names",
    async (...flags) => {
      const folder = await tmpDir();
      await mkdir(join(folder, "layout", "blobs", "sha256"), { recursive: true });
      for (const { path, content } of members) await writeFile(join(folder, "layout", path), content);
      await run("tar", [...flags, "-cf", join(folder, "x.tar"), "-C", join(folder, "layout"), "."]);
      for (const source of await bothInputs(await readFile(join(folder, "x.tar")), pool)) {
        expect(await readAll(source)).toEqual(contents);
      }
    },
  );

  it("may hold sizes in base 256 and in extended headers", async () => {
    const path = blob("x");
    const base256 = headerBlock({ path, size: 1, type: "File" });
    base256.fill(0, 124, 136).writeUInt8(0x80, 124);
    base256.writeUInt8(1, 135);
    signBlock(base256);
    const extended = new Pax({ size: 1, path }).encode();
    const plain = headerBlock({ path: "shadowed", size: 0, type: "File" });
    for (const head of [base256, Buffer.concat([extended, plain])]) {
      for (const source of await bothInputs(Buffer.concat([head, padded("x"), Buffer.alloc(1024)]), pool)) {
        expect(await readAll(source)).toEqual({ [path]: "x" });
      }
    }
  });
});

describe("a tar that was cut", () => {
  it("M3: is BUNDLE_TRUNCATED wherever it was cut, with the bytes that are missing", async () => {
    for (let length = sound.length - 1; length >= 0; length -= 241) {
      for (const source of await bothInputs(sound.subarray(0, length), pool)) {
        const error: unknown = await readAll(source).catch((e: unknown) => e);
        expect(error, `cut to ${length}`).toMatchObject({
          code: length === 0 || length >= 512 ? "BUNDLE_TRUNCATED" : "BUNDLE_MALFORMED",
        });
      }
    }
    const start = sound.indexOf("d".repeat(513));
    for (const source of await bothInputs(sound.subarray(0, start + 13), pool)) {
      const missing = source.seekable ? 500 : (expect.any(Number) as number);
      await expect(readAll(source)).rejects.toMatchObject({
        details: { missing },
        message: expect.stringContaining("bytes are missing") as string,
      });
    }
  });

  it("says so while it is hashed or streamed, also when it shrinks meanwhile", async () => {
    const path = join(await tmpDir(), "bundle.tar");
    await writeFile(path, sound);
    const source = await openBundleSource(path, pool);
    const entry = (await collect(source.entries())).at(-1);
    await truncate(path, sound.length - 1024 - 600);
    await expect(entry?.digest()).rejects.toMatchObject({ code: "BUNDLE_TRUNCATED" });
    await expect(entry?.bytes()).rejects.toMatchObject({ code: "BUNDLE_TRUNCATED" });
    await expect(collect(entry?.stream() ?? Readable.from([]))).rejects.toMatchObject({
      code: "BUNDLE_TRUNCATED",
    });
    await source.close();
  });
});

describe("what is no bundle", () => {
  it.each([
    ["gzip-compressed", gzipSync(sound)],
    ["a zip archive", Buffer.concat([Buffer.from("PK\x03\x04"), Buffer.alloc(1000)])],
    ["zstd-compressed", Buffer.concat([Buffer.from("28b52ffd", "hex"), Buffer.alloc(1000, 1)])],
    ["a web page", Buffer.from(`\n<!DOCTYPE html><html>${"please log in ".repeat(50)}`)],
    ["JSON", Buffer.from('{"message":"Not Found"}')],
    ["a key", Buffer.from("-----BEGIN PUBLIC KEY-----\n")],
    ["no tar", Buffer.alloc(2000, "what is this")],
    ["nothing but zeros", Buffer.alloc(4096)],
  ])("is called %s, with what to do", async (what, bytes) => {
    for (const source of await bothInputs(bytes, pool)) {
      await expect(readAll(source)).rejects.toMatchObject({
        code: "BUNDLE_MALFORMED",
        message: expect.stringContaining(what) as string,
        hint: expect.stringMatching(/\w{3}/) as string,
      });
    }
  });

  it("M3: something behind the end mark is refused, zeros are not", async () => {
    for (const source of await bothInputs(Buffer.concat([sound, Buffer.alloc(20_000)]), pool)) {
      expect(Object.keys(await readAll(source))).toHaveLength(members.length);
    }
    for (const tail of [Buffer.from("x"), Buffer.concat([Buffer.alloc(70_000), Buffer.from("x")]), sound]) {
      for (const source of await bothInputs(Buffer.concat([sound, tail]), pool)) {
        await expect(readAll(source)).rejects.toMatchObject({ code: "BUNDLE_MALFORMED" });
      }
    }
  });

  it("M3: a header with a flipped bit is refused", async () => {
    for (const at of [0, 20, 100, 124, 148, 156, 300, 511]) {
      const bytes = Buffer.from(sound);
      bytes.writeUInt8(bytes.readUInt8(1024 + at) ^ 1, 1024 + at);
      for (const source of await bothInputs(bytes, pool)) {
        await expect(readAll(source), `byte ${at}`).rejects.toMatchObject({ code: "BUNDLE_MALFORMED" });
      }
    }
  });

  it("names what cannot be opened", async () => {
    const folder = await tmpDir();
    await expect(openBundleSource(join(folder, "no.tar"), pool)).rejects.toMatchObject({
      code: "FILE_UNREADABLE",
      message: expect.stringContaining("no.tar") as string,
    });
    await expect(openBundleSource("/dev/null", pool)).rejects.toMatchObject({ code: "FILE_UNREADABLE" });
  });

  it("reports a stream that fails, and one that is text", async () => {
    const failing = Readable.from(
      (async function* () {
        await Promise.resolve();
        yield sound.subarray(0, 600);
        throw new Error("EIO: i/o error, read");
      })(),
      { objectMode: false },
    );
    await expect(readAll(await openBundleSource(failing, pool))).rejects.toMatchObject({
      code: "FILE_UNREADABLE",
    });
    const text = Readable.from([sound.toString("latin1")]);
    await expect(readAll(await openBundleSource(text, pool))).rejects.toThrow("not as text");
  });
});

describe("large and endless input", () => {
  it("does not read a huge entry whole", async () => {
    const path = join(await tmpDir(), "huge.tar");
    const size = 10 * 1024 ** 3;
    const handle = await open(path, "w");
    await handle.write(headerBlock({ path: "index.json", size, type: "File" }));
    await handle.truncate(512 + size + 1024);
    await handle.close();
    const source = await openBundleSource(path, pool);
    const [entry] = await collect(source.entries());
    expect(entry?.size).toBe(size);
    await expect(entry?.bytes()).rejects.toMatchObject({ code: "BUNDLE_MALFORMED" });
    await source.close();
  });

  it("gives up on zeros without end, and on endless extended headers", async () => {
    const zeros = async function* (): AsyncGenerator<Buffer> {
      yield sound;
      for (;;) {
        await Promise.resolve();
        yield Buffer.alloc(1024 * 1024);
      }
    };
    const endless = Readable.from(zeros(), { objectMode: false });
    await expect(readAll(await openBundleSource(endless, pool))).rejects.toMatchObject({
      code: "BUNDLE_MALFORMED",
    });
    const long = headerBlock({ path: "PaxHeader", size: 1_000_000, type: "ExtendedHeader" });
    for (const source of await bothInputs(Buffer.concat([long, Buffer.alloc(1_002_000)]), pool)) {
      await expect(readAll(source)).rejects.toMatchObject({ code: "BUNDLE_MALFORMED" });
    }
  });

  it("reads a named pipe", async () => {
    const folder = await tmpDir();
    const pipe = join(folder, "pipe");
    await run("mkfifo", [pipe]);
    await writeFile(join(folder, "x.tar"), sound);
    const cat = spawn("sh", ["-c", 'exec cat "$0" > "$1"', join(folder, "x.tar"), pipe]);
    const source = await openBundleSource(pipe, pool);
    expect(source.seekable).toBe(false);
    expect(await readAll(source)).toEqual(contents);
    if (cat.exitCode === null) await once(cat, "exit");
  });

  it("reads standard input that is a file, and one that is a pipe", async () => {
    const path = join(await tmpDir(), "x.tar");
    await writeFile(path, sound);
    const code = `
      const { openBundleSource } = await import(process.argv[1]);
      const source = await openBundleSource(process.stdin, undefined);
      for await (const entry of source.entries()) process.stdout.write(await entry.digest() + "\\n");
      await source.close();`;
    const module = new URL("../../src/archive/open-source.ts", import.meta.url).href;
    for (const command of ['exec "$@" < "$0"', 'cat "$0" | "$@"']) {
      const argv = [process.execPath, "--import", "tsx", "--input-type=module", "-e", code, module];
      const { stdout } = await run("sh", ["-c", command, path, ...argv], {
        cwd: join(import.meta.dirname, "../.."),
      });
      expect(stdout.trim().split("\n")).toEqual(members.map(({ content }) => digestOf(content)));
    }
  });
});

function headerBlock(data: { path: string; size: number; type: "File" | "ExtendedHeader" }): Buffer {
  const block = Buffer.alloc(512);
  new Header({ mode: 0o644, uid: 0, gid: 0, mtime: new Date(0), ...data }).encode(block);
  return block;
}

function signBlock(block: Buffer): void {
  block.fill(0x20, 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
}

function padded(content: string): Buffer {
  return Buffer.concat([Buffer.from(content), Buffer.alloc(512 - content.length)]);
}
