import { Header, Pax } from "tar";
import { afterAll, describe, expect, it } from "vitest";
import { digestOf } from "../../src/lib/digest.ts";
import { createHashPool } from "../../src/lib/hash-pool.ts";
import { type TarMember, tarOf } from "../support/archives/tar-gz.ts";
import { bothInputs, readAll } from "../support/bundle-inputs.ts";

const pool = createHashPool(1);
afterAll(() => pool.close());

const innocent: TarMember = { path: "oci-layout", content: "{}" };
const blob = `blobs/sha256/${digestOf("x").slice(7)}`;

async function refused(
  tar: Buffer,
  message = /is refused|twice|damaged|cannot be read|global/,
): Promise<void> {
  for (const source of await bothInputs(tar, pool)) {
    await expect(readAll(source)).rejects.toMatchObject({
      code: "BUNDLE_MALFORMED",
      message: expect.stringMatching(message) as string,
    });
  }
}

describe("M3: hostile bundles are refused", () => {
  it.each<[string, TarMember]>([
    ["path traversal", { path: "../index.json", content: "x" }],
    ["path traversal below the blobs", { path: `blobs/sha256/../../${"a".repeat(64)}`, content: "x" }],
    ["absolute path", { path: "/etc/passwd", content: "x" }],
    ["absolute path of a folder", { path: "/", type: "Directory" }],
    ["symlink", { path: blob, type: "SymbolicLink", linkpath: "/etc/passwd" }],
    ["hard link", { path: blob, type: "Link", linkpath: "oci-layout" }],
    ["character device", { path: blob, type: "CharacterDevice" }],
    ["fifo", { path: blob, type: "FIFO" }],
    ["the same name twice", innocent],
    ["the same name twice, with ./", { ...innocent, path: "./oci-layout" }],
    ["a file that no layout has", { path: "install.sh", content: "x" }],
    ["a folder that no layout has", { path: "etc/", type: "Directory" }],
    ["upper-case digest", { path: `blobs/sha256/${"A".repeat(64)}`, content: "x" }],
    ["short digest", { path: `blobs/sha256/${"a".repeat(63)}`, content: "x" }],
    ["another hash", { path: `blobs/sha512/${"a".repeat(64)}`, content: "x" }],
    ["file with a slash at its end", { path: `${blob}/`, content: "" }],
    ["double slash", { path: `blobs//sha256/${"a".repeat(64)}`, content: "x" }],
    ["a store's private folder", { path: "ferry/lock/000000000001", content: "x" }],
    ["control characters in a name", { path: "blobs/\u001b[2J", content: "x" }],
  ])("%s", async (_class, member) => {
    await refused(tarOf([innocent, member]));
  });

  it("does not print control characters of a name", async () => {
    for (const source of await bothInputs(tarOf([innocent, { path: "x\u001b[2Jy", content: "" }]), pool)) {
      const error: unknown = await readAll(source).catch((e: unknown) => e);
      // eslint-disable-next-line no-control-regex -- that there are none is what is tested
      expect((error as Error).message).not.toMatch(/[\u0000-\u001f]/);
    }
  });

  it("interpretation conflict: an extended header renames to a name outside, or a global one at all", async () => {
    const file = tarOf([{ path: blob, content: "x" }]);
    await refused(Buffer.concat([new Pax({ path: "../outside" }).encode(), file]));
    await refused(Buffer.concat([new Pax({ path: blob, size: 5 }, true).encode(), file]));
    await refused(Buffer.concat([new Pax({ linkpath: "/etc/passwd" }, true).encode(), file]));
  });

  it("odd sizes: negative, beyond what can be counted, and none", async () => {
    for (const size of [
      Buffer.alloc(12, 0xff),
      Buffer.concat([Buffer.from([0x80]), Buffer.alloc(11, 0x7f)]),
      Buffer.from("zzzzzzzzzzz\0"),
    ]) {
      const bytes = tarOf([innocent, { path: blob, content: "x" }]);
      const header = bytes.subarray(1024, 1536);
      size.copy(header, 124);
      header.fill(0x20, 148, 156);
      header.write(
        `${header
          .reduce((a, b) => a + b, 0)
          .toString(8)
          .padStart(6, "0")}\0 `,
        148,
      );
      await refused(bytes);
    }
  });

  it("GNU long names, sparse files and unknown kinds", async () => {
    for (const type of ["L", "K", "S", "V", "M", "Z"]) {
      const block = Buffer.alloc(512);
      new Header({
        path: "x",
        mode: 0o644,
        uid: 0,
        gid: 0,
        size: 0,
        mtime: new Date(0),
        type: "File",
      }).encode(block);
      block.write(type, 156);
      block.fill(0x20, 148, 156);
      block.write(
        `${block
          .reduce((a, b) => a + b, 0)
          .toString(8)
          .padStart(6, "0")}\0 `,
        148,
      );
      await refused(Buffer.concat([tarOf([innocent]).subarray(0, 1024), block, Buffer.alloc(1024)]));
    }
  });
});
