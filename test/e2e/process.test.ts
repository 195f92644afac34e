import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { site } from "../support/site.ts";
import { spawnFerry } from "../support/spawn-ferry.ts";
import { generatedContent } from "../support/upstream/content.ts";

const MB = 1024 * 1024;
const SPEC = 'name: extra\nassets:\n  - repo: o/r\n    tag: t1\n    include: ["*.bin"]\n';
const RELEASES = [
  {
    repo: "o/r",
    tag: "t1",
    publishedAt: "2026-10-01T00:00:00Z",
    assets: [
      { name: "big.bin", content: generatedContent("big", 12 * MB) },
      { name: "small.bin", content: "small" },
    ],
  },
];

/** Resolves when the practice upstream has begun to send so many bytes of a file. */
async function untilSent(
  requests: readonly { path: string; bytes: number }[],
  name: string,
  bytes: number,
): Promise<void> {
  while (!requests.some((request) => request.path.includes(name) && request.bytes >= bytes)) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("the real program", () => {
  it("B22: gives the same bytes whatever umask, time zone and locale are", async () => {
    const { ferry, spec, folder, env, at } = await site();
    const path = await spec("name: uv\nengines:\n  - engine: uv\n    versions: [0.12.23]\n");
    expect((await ferry("keys", "new", "--out", "k")).code).toBe(0);
    const build = (out: string, umask: string, more: Record<string, string>) =>
      spawnFerry(["build", path, "-o", out, "--sign-key", "k.key"], {
        cwd: folder,
        umask,
        env: { ...env, ...more },
      }).done;
    const first = await build("a.tar", "077", { TZ: "Asia/Tokyo", FERRY_STORE: at("one") });
    expect(first.code, first.stderr).toBe(0);
    const second = await build("b.tar", "000", {
      TZ: "America/Lima",
      LC_ALL: "de_DE.UTF-8",
      FERRY_STORE: at("two"),
    });
    expect(second.code, second.stderr).toBe(0);
    expect((await readFile(at("a.tar"))).equals(await readFile(at("b.tar")))).toBe(true);
    expect((await stat(at("a.tar"))).mode & 0o777).toBe(0o644);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 130],
    ["SIGKILL", null],
  ] as const)(
    "B3, B4: ended by %s midway leaves no bundle, and the next run resumes",
    async (signal, code) => {
      const { ferry, spec, folder, env, upstream, at } = await site({ releases: RELEASES });
      const path = await spec(SPEC);
      upstream.fault({ kind: "slow", bytesPerSecond: 4 * MB, match: { path: /big/ } });
      const run = spawnFerry(["build", path, "-o", "a.tar"], { cwd: folder, env });
      await untilSent(upstream.requests, "big.bin", 7 * MB);
      run.child.kill(signal);
      const ended = await run.done;
      expect(ended.code).toBe(code);
      expect((await readdir(folder)).filter((name) => name.endsWith("tar"))).toEqual([]);
      const before = upstream.requests.length;
      const again = await ferry("build", path, "-o", "a.tar");
      expect(again.code, again.stderr).toBe(0);
      const later = upstream.requests.slice(before).filter(({ host }) => host === "blob");
      expect(later.filter(({ path: asked }) => asked.includes("big")).map(({ status }) => status)).toEqual([
        206,
      ]);
      expect((await ferry("inspect", "a.tar")).code).toBe(0);
      expect(await readdir(join(at("store"), "ferry", "partial"))).toEqual([]);
    },
  );

  it("writes the answer alone to standard output", async () => {
    const { spec, folder, env } = await site();
    const path = await spec("name: uv\nengines:\n  - engine: uv\n    versions: [latest]\n");
    const run = await spawnFerry(["plan", path, "--json"], { cwd: folder, env }).done;
    expect(run.code, run.stderr).toBe(0);
    expect(() => JSON.parse(run.stdout) as unknown).not.toThrow();
    expect(run.stderr).toContain("latest uv is 0.12.23");
  });
});
