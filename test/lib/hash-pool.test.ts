import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { digestFromHex, digestOf } from "../../src/lib/digest.ts";
import { createHashPool } from "../../src/lib/hash-pool.ts";
import { tmpDir } from "../support/tmp.ts";

const pool = createHashPool(2);
afterAll(() => pool.close());

const content = Buffer.alloc(700_001, "seven bytes or so");

describe("hashRange", () => {
  it.each([
    [0, 0],
    [0, content.length],
    [1, 128 * 1024],
    [512, 128 * 1024 + 1],
    [700_000, 1],
  ])("hashes from %i on %i bytes", async (start, length) => {
    const path = join(await tmpDir(), "file");
    await writeFile(path, content);
    expect(await pool.hashRange(path, start, length)).toBe(digestOf(content.subarray(start, start + length)));
  });

  it("hashes more ranges at once than it has threads", async () => {
    const path = join(await tmpDir(), "file");
    await writeFile(path, content);
    const starts = Array.from({ length: 40 }, (_, i) => i * 1000);
    const found = await Promise.all(starts.map((start) => pool.hashRange(path, start, 5000)));
    expect(found).toEqual(starts.map((start) => digestOf(content.subarray(start, start + 5000))));
  });

  it("says how much is missing where the file ends too early", async () => {
    const path = join(await tmpDir(), "file");
    await writeFile(path, "12345");
    await expect(pool.hashRange(path, 2, 10)).rejects.toMatchObject({ name: "ShortRangeError", missing: 7 });
  });

  it("passes on why a file cannot be read, and goes on with the next", async () => {
    const path = join(await tmpDir(), "file");
    await expect(pool.hashRange(path, 0, 1)).rejects.toMatchObject({ code: "ENOENT" });
    await writeFile(path, "1");
    expect(await pool.hashRange(path, 0, 1)).toBe(digestOf("1"));
  });

  it("hashes beyond 4 GiB in a sparse file", async () => {
    const path = join(await tmpDir(), "sparse");
    const at = 5 * 1024 ** 3;
    const { open } = await import("node:fs/promises");
    const handle = await open(path, "w");
    await handle.write("the end", at);
    await handle.close();
    expect(await pool.hashRange(path, at, 7)).toBe(digestOf("the end"));
  });
});

describe("a hash pool's end", () => {
  it("rejects what is running and waiting when it is closed, and everything after", async () => {
    const own = createHashPool(1);
    const path = join(await tmpDir(), "sparse");
    await writeFile(path, "");
    const { truncate } = await import("node:fs/promises");
    await truncate(path, 50 * 1024 ** 3);
    const jobs = [own.hashRange(path, 0, 50 * 1024 ** 3), own.hashRange(path, 0, 1)];
    const settled = Promise.allSettled(jobs);
    await own.close();
    expect((await settled).map((job) => job.status)).toEqual(["rejected", "rejected"]);
    await expect(jobs[0]).rejects.toMatchObject({ code: "INTERRUPTED" });
    await expect(own.hashRange(path, 0, 1)).rejects.toMatchObject({ code: "INTERRUPTED" });
  });

  it("keeps a process alive while it hashes, and no longer", async () => {
    const path = join(await tmpDir(), "file");
    await writeFile(path, content);
    const code = `
      const { createHashPool } = await import(process.argv[1]);
      const pool = createHashPool(2);
      process.stdout.write(await pool.hashRange(process.argv[2], 0, ${content.length}));`;
    const module = new URL("../../src/lib/hash-pool.ts", import.meta.url).href;
    const argv = ["--import", "tsx", "--input-type=module", "-e", code, module, path];
    const { stdout } = await promisify(execFile)(process.execPath, argv, {
      cwd: join(import.meta.dirname, "../.."),
    });
    expect(stdout).toBe(digestFromHex(createHash("sha256").update(content).digest("hex")));
  });
});
