import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { freeSpace, sameFileSystem } from "../../src/store/free-space.ts";
import { tmpDir } from "../support/tmp.ts";

describe("free space", () => {
  it("B20: is known for a path that does not exist yet, from the file system that will hold it", async () => {
    const folder = await tmpDir();
    const { blocks, bsize } = await statfs(folder);
    const free = await freeSpace(join(folder, "not", "there", "yet"));
    expect(free).toBeGreaterThan(0);
    expect(free).toBeLessThanOrEqual(blocks * bsize);
  });

  it("tells file systems apart", async () => {
    const folder = await tmpDir();
    expect(await sameFileSystem(join(folder, "a"), join(folder, "b", "c"))).toBe(true);
    expect(await sameFileSystem(folder, "/proc/self")).toBe(false);
  });

  it("names the path that it cannot ask about", async () => {
    const endless = join(await tmpDir(), "x".repeat(300));
    await expect(freeSpace(endless)).rejects.toMatchObject({ code: "FILE_UNREADABLE" });
    await expect(sameFileSystem(endless, "/")).rejects.toMatchObject({ code: "FILE_UNREADABLE" });
  });
});
