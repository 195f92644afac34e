import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeFolder } from "../../src/lib/files.ts";
import { tmpDir } from "../support/tmp.ts";

it("makes a folder and those above it, and leaves one that is there", async () => {
  const folder = join(await tmpDir(), "a", "b", "c");
  await makeFolder(folder);
  await makeFolder(folder);
  expect((await stat(folder)).isDirectory()).toBe(true);
});

it("refuses a file in the way", async () => {
  const folder = await tmpDir();
  await writeFile(join(folder, "file"), "");
  await expect(makeFolder(join(folder, "file"))).rejects.toMatchObject({ code: "EEXIST" });
  await expect(makeFolder(join(folder, "file", "below"))).rejects.toMatchObject({ code: "ENOTDIR" });
});

it.runIf(process.platform === "linux")("ends where the system denies that folders can be made", async () => {
  await expect(makeFolder("/proc/ferry/store")).rejects.toMatchObject({ code: "ENOENT" });
});
