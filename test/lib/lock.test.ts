import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { acquireLock } from "../../src/lib/lock.ts";
import { isGone, type LockOwner, thisProcess } from "../../src/lib/lock-owner.ts";
import { tmpDir } from "../support/tmp.ts";

const clock = systemClock;

describe("acquireLock", () => {
  it("is held by one at a time, and free again after release", async () => {
    const folder = join(await tmpDir(), "lock");
    for (let round = 0; round < 3; round++) {
      const lock = await acquireLock(folder, { what: "importing site-a", clock });
      await expect(acquireLock(folder, { what: "another", clock })).rejects.toMatchObject({
        code: "STORE_BUSY",
        message: expect.stringContaining(
          `process ${process.pid} on ${hostname()} (importing site-a, since `,
        ) as string,
      });
      await lock.release();
    }
    expect(await readdir(folder)).toHaveLength(1);
  });

  it("lets one after the other through when many wait", async () => {
    const folder = join(await tmpDir(), "lock");
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      const lock = await acquireLock(folder, { what: "work", clock, waitMs: 60_000 });
      most = Math.max(most, ++inside);
      await new Promise(setImmediate);
      inside--;
      await lock.release();
    };
    await Promise.all(Array.from({ length: 8 }, work));
    expect(most).toBe(1);
  });

  it("stops waiting when it is interrupted", async () => {
    const folder = join(await tmpDir(), "lock");
    await acquireLock(folder, { what: "work", clock });
    const stop = new AbortController();
    const waiting = acquireLock(folder, { what: "more", clock, waitMs: 60_000, signal: stop.signal });
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: "INTERRUPTED" });
  });

  it("M2: takes over the lock of a process that was killed, once it is dead and not before", async () => {
    const folder = join(await tmpDir(), "lock");
    const holder = await holdInChild(folder);
    await expect(acquireLock(folder, { what: "mine", clock })).rejects.toMatchObject({
      code: "STORE_BUSY",
      details: { owner: { pid: holder.pid, what: "held by a child" } },
    });
    holder.kill("SIGKILL");
    await once(holder, "exit");
    const takers = await Promise.allSettled(
      Array.from({ length: 6 }, () => acquireLock(folder, { what: "mine", clock })),
    );
    expect(takers.filter((taker) => taker.status === "fulfilled")).toHaveLength(1);
  });

  it("takes a lock that a power failure tore for free", async () => {
    const folder = join(await tmpDir(), "lock");
    await mkdir(folder);
    await writeFile(join(folder, "000000000007"), Buffer.alloc(40));
    await acquireLock(folder, { what: "mine", clock });
    expect(await readdir(folder)).toEqual(["000000000008"]);
    expect(await readFile(join(folder, "000000000008"), "utf8")).toContain('"what":"mine"');
  });

  it("says so where no lock can be made", async () => {
    const file = join(await tmpDir(), "file");
    await writeFile(file, "");
    await expect(acquireLock(join(file, "lock"), { what: "mine", clock })).rejects.toMatchObject({
      code: "FILE_UNWRITABLE",
    });
  });
});

describe("isGone", () => {
  const me: LockOwner = {
    pid: process.pid,
    host: "builder",
    what: "",
    since: "",
    machine: "m",
    boot: "b2",
    pidNamespace: "pid:[1]",
    startTicks: "1",
  };
  const nobody = 2 ** 22 + 1;

  it.each<[string, Partial<LockOwner>, boolean]>([
    ["no such process", { pid: nobody }, true],
    ["the number is another process's by now", { startTicks: "0" }, true],
    ["before the last boot", { boot: "b1", pid: nobody }, true],
    ["the boot is unknown", { boot: "", pid: nobody }, false],
    ["another host", { host: "mirror", pid: nobody }, false],
    ["another machine of the same name", { machine: "m2", boot: "b1", pid: nobody }, false],
    ["another container", { pidNamespace: "pid:[2]", pid: nobody }, false],
  ])("%s", async (_what, owner, gone) => {
    expect(await isGone({ ...me, ...owner }, me)).toBe(gone);
  });

  it("a process that lives is not gone", async () => {
    const self = await thisProcess("testing", "now");
    expect(await isGone(self, self)).toBe(false);
  });
});

/** A process of its own that holds the lock until it is killed. */
async function holdInChild(folder: string): Promise<ChildProcess> {
  const code = `
    const { acquireLock } = await import(process.argv[1]);
    const { systemClock } = await import(process.argv[2]);
    await acquireLock(process.argv[3], { what: "held by a child", clock: systemClock });
    process.stdout.write("held");
    setInterval(() => undefined, 1000);`;
  const modules = ["lock.ts", "clock.ts"].map(
    (name) => new URL(`../../src/lib/${name}`, import.meta.url).href,
  );
  const argv = ["--import", "tsx", "--input-type=module", "-e", code, ...modules, folder];
  const child = spawn(process.execPath, argv, {
    cwd: join(import.meta.dirname, "../.."),
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  await once(child.stdout, "data");
  return child;
}
