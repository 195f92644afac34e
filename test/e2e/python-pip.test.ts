import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { mustRun, prefixProxy, runClient } from "../support/python-clients.ts";
import { LOCKED, pythonSite, SITE_LOCK, wheelsTaken } from "../support/python-site.ts";
import { PIP_VERSIONS, type PipVersion, REAL_PIP_TIMEOUT, realPip } from "../support/real-pips.ts";
import { tmpDir } from "../support/tmp.ts";

const pips = new Map<PipVersion, string>();
beforeAll(async () => {
  for (const version of PIP_VERSIONS) pips.set(version, await realPip(version));
}, PIP_VERSIONS.length * REAL_PIP_TIMEOUT);

const install = (...more: string[]): string[] => ["-m", "pip", "install", "--target", "there", ...more];

describe.each(PIP_VERSIONS)("pip %s", (version) => {
  const pip = (): string => pips.get(version) ?? "";

  it("installs an engine with what it depends on, from both indexes", async () => {
    const mirror = await pythonSite();
    const cwd = await tmpDir();
    const indexes = ["--index-url", `${mirror.url}/simple`, "--extra-index-url", `${mirror.url}/whl/cu129`];
    await mustRun(pip(), install(...indexes, "demo.engine==1.0", "dep-a<2"), { cwd });
    const python = ["-c", "import demo_engine, dep_a, torch; print(torch.VERSION, dep_a.VERSION)"];
    const env = { PYTHONPATH: join(cwd, "there") };
    expect((await mustRun(pip(), python, { cwd, env })).out).toBe("2.10.0+cu129 1.0\n");
    // P8: it compares the metadata of the page with the wheel's own.
    expect(mirror.log.some(({ path, status }) => path.endsWith(".metadata") && status === 200)).toBe(true);
    expect(Object.keys(wheelsTaken(mirror))).toHaveLength(LOCKED.length);
  });

  it("P9 finds its way behind a prefix that nobody told the mirror of, and through a redirect", async () => {
    const mirror = await pythonSite();
    const proxy = await prefixProxy(mirror.url, { prefix: "/a/b" });
    for (const index of ["a/b/simple", "a/b/simple/", "old/simple"]) {
      const cwd = await tmpDir();
      await mustRun(pip(), install("--index-url", `${proxy}/${index}`, "Dep.A==1.0"), { cwd });
      expect(await readFile(join(cwd, "there", "dep_a", "__init__.py"), "utf8")).toContain("1.0");
    }
  });

  it("P17 says why a pinned release was withdrawn, and takes it nowhere else, from either format", async () => {
    const mirror = await pythonSite();
    const html = `${await prefixProxy(mirror.url, { prefix: "/html", accept: "text/html" })}/html`;
    for (const base of [mirror.url, html]) {
      const cwd = await tmpDir();
      const index = ["--index-url", `${base}/simple`];
      const pinned = await mustRun(pip(), install(...index, "dep-y==1.0"), { cwd });
      expect(`${pinned.out}${pinned.err}`).toContain("eats files");
      const any = await runClient(pip(), install(...index, "--upgrade", "dep-y>=1.0"), { cwd });
      expect([base, any.code === 0]).toEqual([base, false]);
    }
  });
});

describe("pip 26.3 and locks", () => {
  it("P5 installs the served lock, `+` in names and all", async () => {
    const mirror = await pythonSite();
    const cwd = await tmpDir();
    await mustRun(pips.get("26.3") ?? "", install("-r", `${mirror.url}/${SITE_LOCK}`), { cwd });
    expect(await readdir(join(cwd, "there"))).toEqual(
      expect.arrayContaining(["demo_engine", "dep_a", "dep_b", "torch", "torch-2.10.0+cu129.dist-info"]),
    );
    expect(mirror.log.some(({ path }) => path.startsWith("/simple"))).toBe(false);
  });
});
