import { existsSync, writeFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runFerry } from "../support/run-ferry.ts";
import { site } from "../support/site.ts";
import { mountTmpfs, noTmpfs } from "../support/tmpfs.ts";
import { generatedContent } from "../support/upstream/content.ts";

const MB = 1024 * 1024;
const SPEC = 'name: extra\nassets:\n  - repo: o/r\n    tag: t1\n    include: ["*.bin"]\n';
const RELEASES = [
  {
    repo: "o/r",
    tag: "t1",
    publishedAt: "2026-10-01T00:00:00Z",
    assets: [{ name: "big.bin", content: generatedContent("big", 8 * MB) }],
  },
];

if (noTmpfs !== undefined) process.stdout.write(`skipped: disk-full tests: ${noTmpfs}\n`);

describe.skipIf(noTmpfs !== undefined)("B20: a disk that fills", () => {
  it("is found out before the first download where it is too small from the start", async () => {
    const { ferry, spec, upstream, at } = await site({ releases: RELEASES });
    mountTmpfs(at("store"), 6 * MB);
    const run = await ferry("build", await spec(SPEC), "-o", "a.tar");
    expect(run.code).toBe(6);
    expect(run.stderr).toContain(at("store"));
    expect(run.stderr).toMatch(/needs \d+ bytes, \d+ are free/);
    expect(upstream.requests.every((request) => request.host === "api")).toBe(true);
  });

  it("midway in the store: fatal at once, resumable, and the next run fetches the rest", async () => {
    const { ferry, spec, upstream, at, env, clock, folder } = await site({ releases: RELEASES });
    mountTmpfs(at("store"), 12 * MB);
    const path = await spec(SPEC);
    const ballast = join(at("store"), "ballast");
    upstream.fault({ kind: "slow", bytesPerSecond: 8 * MB, match: { path: /big/ } });
    const run = await runFerry(["build", path, "-o", "a.tar"], {
      env,
      clock,
      cwd: folder,
      onProgress: (event) => {
        if (event.kind === "advance" && !existsSync(ballast)) writeFileSync(ballast, Buffer.alloc(9 * MB));
      },
    });
    expect(run.code, run.stderr).toBe(6);
    expect(run.stderr).toContain("DISK_FULL");
    expect(clock.slept).toEqual([]);
    expect(existsSync(at("a.tar"))).toBe(false);
    await rm(ballast);
    const before = upstream.requests.length;
    const again = await ferry("build", path, "-o", "a.tar");
    expect(again.code, again.stderr).toBe(0);
    expect(upstream.requests.slice(before).filter(({ host }) => host === "blob")).toMatchObject([
      { status: 206 },
    ]);
  });

  it("while the bundle is written: no half of it under its name, and nothing is fetched again", async () => {
    const { ferry, spec, upstream, at, env, clock, folder } = await site({ releases: RELEASES });
    const out = at("out");
    mountTmpfs(out, 12 * MB);
    const path = await spec(SPEC);
    const run = await runFerry(["build", path, "-o", "out/a.tar"], {
      env,
      clock,
      cwd: folder,
      onProgress: (event) => {
        if (event.kind === "start" && event.id === "write") {
          writeFileSync(join(out, "ballast"), Buffer.alloc(9 * MB));
        }
      },
    });
    expect(run.code, run.stderr).toBe(6);
    expect(await readdir(out)).toEqual(["ballast"]);
    await rm(join(out, "ballast"));
    const before = upstream.requests.length;
    expect((await ferry("build", path, "-o", "out/a.tar")).code).toBe(0);
    expect(upstream.requests.slice(before).every(({ host }) => host === "api")).toBe(true);
  });
});
