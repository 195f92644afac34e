import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { readFolderBundle } from "../../support/folder-bundle.ts";
import { type PythonBuilderSite, pythonBuilderSite } from "../../support/python-builder-site.ts";
import { makeWheel } from "../../support/python-index/wheel.ts";
import { REAL_UV_TIMEOUT, realUv } from "../../support/real-uv.ts";

beforeAll(() => realUv(), REAL_UV_TIMEOUT);

const SPEC = "name: tools\nengines:\n  - { engine: toolbox, versions: ['1.0'] }\n";

/** toolbox 1.0 with a pure dependency, one of compiled wheels, and one that only ARM needs. */
function fill({ index }: PythonBuilderSite): void {
  const requires = ["pure>=1", "fast", 'armonly; platform_machine == "aarch64"'];
  index.add(makeWheel({ name: "toolbox", version: "1.0", requires, scripts: { toolbox: "toolbox:main" } }), {
    uploadedAt: "2026-02-01T10:00:00Z",
  });
  index.add(makeWheel({ name: "Pure", version: "1.1", requiresPython: ">=3.9" }));
  index.add(makeWheel({ name: "armonly", version: "3.0" }));
  for (const machine of ["x86_64", "aarch64"]) {
    index.add(makeWheel({ name: "fast", version: "2.0", tag: `cp312-cp312-manylinux_2_28_${machine}` }));
  }
  index.add(makeWheel({ name: "fast", version: "2.0" }));
}

describe("a spec with a Python engine", () => {
  it("is planned with count, size and glibc before anything is downloaded", async () => {
    const made = await pythonBuilderSite();
    fill(made);
    const run = await made.ferry("plan", await made.spec(SPEC));
    expect(run.code, run.stderr).toBe(0);
    expect(run.stdout).toContain("toolbox 1.0  amd64  cpu");
    expect(run.stdout).toContain("Python 3.12, 3 packages");
    expect(run.stdout).toContain("needs glibc 2.5");
    expect(made.index.requests.filter((line) => line.endsWith(".whl"))).toEqual([]);
  });

  it("becomes a bundle with every wheel, its metadata, lock, uv and interpreter, proven to be closed", async () => {
    const made = await pythonBuilderSite();
    fill(made);
    const run = await made.ferry("build", await made.spec(SPEC), "-o", "b/");
    expect(run.code, run.stderr).toBe(0);
    const { document } = await readFolderBundle(made.at("b"));
    expect(document.python).toMatchObject({ uv: "0.12.23", closure: "proven" });
    const arm = document.builds.find(({ arch }) => arch === "arm64");
    expect(arm?.python).toMatchObject({
      platform: "aarch64-manylinux_2_35",
      published: "2026-02-01T10:00:00Z",
      excludeNewer: "2026-02-02T10:00:00Z",
      requirements: ["toolbox==1.0"],
      packages: 4,
    });
    const paths = document.files.map(({ path }) => path);
    for (const path of document.builds.flatMap(({ files }) => files)) expect(paths).toContain(path);
    for (const { path } of document.python?.wheels ?? []) expect(paths).toContain(`${path}.metadata`);
    expect(run.stderr).toContain("resolving toolbox 1.0 arm64 cpu again from the bundle alone");
  });

  it("gives the same bundle when it is built twice", async () => {
    const made = await pythonBuilderSite();
    fill(made);
    await made.spec(SPEC);
    const first = await made.ferry("build", "spec.yaml", "-o", "one.tar");
    const second = await made.ferry("build", "spec.yaml", "-o", "two.tar", "--store", made.at("other"));
    expect([first.code, second.code], second.stderr).toEqual([0, 0]);
    expect((await readFile(made.at("one.tar"))).equals(await readFile(made.at("two.tar")))).toBe(true);
  });
});
