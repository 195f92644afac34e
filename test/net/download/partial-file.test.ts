import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { digestOf } from "../../../src/lib/digest.ts";
import { type FileAccess, PartialFile } from "../../../src/net/download/partial-file.ts";
import { readState } from "../../../src/net/download/state-file.ts";
import { fetchWhole } from "../../../src/net/download.ts";
import { fastClock } from "../../support/fast-clock.ts";
import { tmpDir } from "../../support/tmp.ts";
import { serveFile } from "../support/file-server.ts";
import { bytes, job } from "../support/job.ts";
import { tickingClock } from "../support/ticking-clock.ts";

const CONTENT = bytes(300_000);
const IDENTITY = { url: "https://h/f", size: CONTENT.length, digest: digestOf(CONTENT) };

/** A real file on a disk of `room` bytes: a write takes what fits, the next one gets ENOSPC, as the kernel does. */
async function onFullDisk(path: string, room: number): Promise<FileAccess> {
  const file = await open(path, "w+");
  const noSpace = (): Promise<never> =>
    Promise.reject(Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" }));
  return {
    read: (buffer, offset, length, position) => file.read(buffer, offset, length, position),
    writev: async (parts, position) => {
      const all = Buffer.concat(parts);
      const fits = Math.min(all.length, room - position);
      return fits > 0 ? file.write(all, 0, fits, position) : noSpace();
    },
    write: (buffer, offset, length, position) =>
      position < room ? file.write(buffer, offset, length, position) : noSpace(),
    truncate: (length) => file.truncate(length),
    close: () => file.close(),
  };
}

describe("PartialFile", () => {
  it("is complete when every byte is there, in whatever order they came", async () => {
    const path = join(await tmpDir(), "f");
    const file = await PartialFile.open(path, IDENTITY, fastClock());
    await file.write(200_000, [CONTENT.subarray(200_000)]);
    expect([file.complete, file.done]).toEqual([false, 100_000]);
    await file.write(0, [CONTENT.subarray(0, 1), CONTENT.subarray(1, 200_000)]);
    await file.write(0, []);
    expect(file.complete).toBe(true);
    expect(await file.digest()).toBe(IDENTITY.digest);
    await file.close();
    expect(digestOf(await readFile(path))).toBe(IDENTITY.digest);
  });

  it("is recorded while it grows, never ahead of what was written", async () => {
    const path = join(await tmpDir(), "f");
    const file = await PartialFile.open(path, IDENTITY, tickingClock(2000));
    expect((await readState(path))?.ranges).toEqual([]);
    await file.write(0, [CONTENT.subarray(0, 1000)]);
    while ((await readState(path))?.ranges.length === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await readState(path))?.ranges).toEqual([[0, 1000]]);
    await file.close();
  });

  it("B20: a disk that fills midway ends the download at once and leaves what came, to go on from", async () => {
    const server = await serveFile({ content: CONTENT });
    const work = await job(server.origin, CONTENT);
    const identity = { ...IDENTITY, url: work.url };
    const cramped = new PartialFile(
      work.partialPath,
      identity,
      await onFullDisk(work.partialPath, 150_000),
      fastClock(),
    );
    // Small units, as a slow connection has them: the first ones fit.
    const upstream = await job(server.origin, CONTENT, {
      partialPath: work.partialPath,
      clock: tickingClock(2000),
    });
    await expect(fetchWhole(upstream, cramped)).rejects.toMatchObject({ code: "DISK_FULL" });
    await cramped.close();
    expect(server.seen).toHaveLength(1);
    const held = (await readState(work.partialPath))?.ranges[0]?.[1] ?? 0;
    expect(held).toBeGreaterThan(0);
    expect(held).toBeLessThanOrEqual(150_000);
    const roomy = await PartialFile.open(work.partialPath, identity, fastClock());
    expect(await fetchWhole(work, roomy)).toEqual({ digest: IDENTITY.digest, size: CONTENT.length });
    await roomy.close();
    expect(server.ranges()).toEqual([undefined, `bytes=${held}-`]);
  });

  it("names the path when the bytes cannot be read back", async () => {
    const path = join(await tmpDir(), "f");
    const real = await onFullDisk(path, 1_000_000);
    const deaf: FileAccess = { ...real, read: () => Promise.reject(new Error("EIO: i/o error, read")) };
    const file = new PartialFile(path, { ...IDENTITY, size: 10 }, deaf, fastClock());
    await file.write(5, [CONTENT.subarray(5, 10)]);
    await file.write(0, [CONTENT.subarray(0, 5)]);
    await expect(file.digest()).rejects.toMatchObject({
      code: "FILE_UNREADABLE",
      message: expect.stringContaining(path) as string,
    });
    await file.close();
  });
});
