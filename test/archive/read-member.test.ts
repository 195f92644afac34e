import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readMember } from "../../src/archive/read-member.ts";
import { readWheelMetadata } from "../../src/archive/wheel-metadata.ts";
import { tarGzOf } from "../support/archives/tar-gz.ts";
import { makeWheel } from "../support/python-index/wheel.ts";
import { zipOf } from "../support/python-index/zip-file.ts";
import { tmpDir } from "../support/tmp.ts";

async function fileOf(bytes: Uint8Array): Promise<string> {
  const path = join(await tmpDir(), "file");
  await writeFile(path, bytes);
  return path;
}

it("reads one file of a tar", async () => {
  const archive = await fileOf(
    tarGzOf([
      { path: "a-1/requirements.txt.orig", content: "no\n" },
      { path: "a-1/requirements.txt", content: "torch\n" },
      { path: "a-1/other", content: "x".repeat(100_000) },
    ]),
  );
  expect(await readMember(archive, "a-1/requirements.txt")).toBe("torch\n");
  await expect(readMember(archive, "a-1/absent")).rejects.toMatchObject({ code: "ARCHIVE_UNSAFE" });
  await expect(readMember(archive, "a-1/other", 1000)).rejects.toThrow("larger than 1000 bytes");
});

it("refuses a tar that has the file twice, or as a link, and what is no tar", async () => {
  const member = { path: "a/r.txt", content: "x\n" };
  await expect(readMember(await fileOf(tarGzOf([member, member])), "a/r.txt")).rejects.toThrow("2 files");
  const link = await fileOf(tarGzOf([{ path: "a/r.txt", type: "SymbolicLink", linkpath: "/etc/passwd" }]));
  await expect(readMember(link, "a/r.txt")).rejects.toThrow("0 files");
  await expect(readMember(await fileOf(Buffer.from("no tar at all")), "a")).rejects.toMatchObject({
    code: "ARCHIVE_UNSAFE",
  });
});

it("P8 takes the metadata out of a wheel, byte for byte", async () => {
  const wheel = makeWheel({ name: "small", version: "1.0", requires: ["idna"] });
  const bytes = await readWheelMetadata(await fileOf(wheel.bytes), "small");
  expect(bytes.equals(wheel.metadata ?? Buffer.alloc(0))).toBe(true);
});

it.each([
  ["no zip", Buffer.from("PK no")],
  ["a zip without metadata", zipOf([{ name: "small/__init__.py", content: "" }])],
  [
    "a zip with two",
    zipOf([
      { name: "a-1.dist-info/METADATA", content: "Name: a\n" },
      { name: "b-1.dist-info/METADATA", content: "Name: b\n" },
    ]),
  ],
])("refuses %s as a wheel", async (_, bytes) => {
  await expect(readWheelMetadata(await fileOf(bytes), "small-1.0.whl")).rejects.toMatchObject({
    code: "PYTHON_WHEEL",
    message: expect.stringContaining("small-1.0.whl") as string,
  });
});
