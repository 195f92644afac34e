import { mkdir, readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { PinReport } from "../../src/bundle/pin.ts";
import { tarGzOf } from "../support/archives/tar-gz.ts";
import { site } from "../support/site.ts";

const RELEASE = {
  repo: "Niko1221/Strata",
  tag: "v0.1.41",
  publishedAt: "2026-10-08T00:00:00Z",
  assets: [{ name: "x.zip", content: "x" }],
};

describe("ferry recipe pin", () => {
  it("pins the digest that it shows, and the table answers from then on", async () => {
    const { ferry, at, env } = await site({
      releases: [RELEASE],
      sources: [{ repo: RELEASE.repo, tag: RELEASE.tag }],
    });
    env["FERRY_RECIPES"] = at("overlay");
    await mkdir(at("overlay"));
    const refused = await ferry("recipe", "builds", "strata", "0.1.41", "--arch", "amd64");
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("SOURCE_UNPINNED");
    expect(refused.stderr).toContain("ferry recipe pin strata 0.1.41");

    const run = await ferry("recipe", "pin", "strata", "0.1.41", "--json");
    expect(run.code, run.stderr).toBe(0);
    const report = PinReport.parse(JSON.parse(run.stdout));
    expect(report).toMatchObject({ published: "2026-10-08T00:00:00Z", file: at("overlay/strata.pins.yaml") });
    expect(await readFile(report.file, "utf8")).toContain(report.digest.slice(7));
    const builds = await ferry("recipe", "builds", "strata", "0.1.41", "--arch", "amd64", "--json");
    expect(builds.code, builds.stderr).toBe(0);
    expect(builds.stdout).toContain(report.digest.slice(7));

    const again = await ferry("recipe", "pin", "strata", "0.1.41");
    expect(again.code, again.stderr).toBe(0);
    expect(again.stdout).toContain("compare this one");
  });

  it("refuses another digest than the one that is pinned", async () => {
    const { ferry, at, env, upstream } = await site({
      releases: [RELEASE],
      sources: [{ repo: RELEASE.repo, tag: RELEASE.tag }],
    });
    env["FERRY_RECIPES"] = at("overlay");
    await mkdir(at("overlay"));
    await ferry("recipe", "pin", "strata", "0.1.41");
    const before = await readFile(at("overlay/strata.pins.yaml"), "utf8");
    upstream.addSource(
      RELEASE.repo,
      RELEASE.tag,
      tarGzOf([{ path: "Strata-0.1.41/README.md", content: "other" }]),
    );
    const run = await ferry("recipe", "pin", "strata", "0.1.41");
    expect(run.code).toBe(5);
    expect(run.stderr).toContain("DIGEST_MISMATCH");
    expect(await readFile(at("overlay/strata.pins.yaml"), "utf8")).toBe(before);
  });

  it("refuses what is not the archive that the recipe describes, and pins nothing", async () => {
    const { ferry, at, env, upstream } = await site({
      releases: [RELEASE],
      sources: [{ repo: RELEASE.repo, tag: RELEASE.tag }],
    });
    env["FERRY_RECIPES"] = at("overlay");
    await mkdir(at("overlay"));
    upstream.addSource(RELEASE.repo, RELEASE.tag, Buffer.from("<html>"));
    const run = await ferry("recipe", "pin", "strata", "0.1.41");
    expect(run.code).not.toBe(0);
    await expect(readFile(at("overlay/strata.pins.yaml"))).rejects.toThrow();
    await writeFile(at("overlay/strata.pins.yaml"), "releases: {}\nextra: 1\n");
    expect((await ferry("recipe", "list")).code).toBe(2);
  });

  it("has nothing to pin for engines that are release assets", async () => {
    const { ferry } = await site({ releases: [RELEASE] });
    const run = await ferry("recipe", "pin", "llamacpp", "b11347");
    expect(run.code).toBe(2);
    expect(run.stderr).toContain("not installed from a source archive");
  });
});
