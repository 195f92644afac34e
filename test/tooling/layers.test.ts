import { cp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { tmpDir } from "../support/tmp.ts";
import { type Outcome, packageRoot, runScript } from "./run-script.ts";

/** A house of five files that keeps every layer. */
const clean: Readonly<Record<string, string>> = {
  "src/errors.ts": "export const broken = 1;\n",
  "src/lib/size.ts": 'import { broken } from "../errors.ts";\nexport const size = broken;\n',
  "src/bundle/open.ts": 'import { size } from "../lib/size.ts";\nexport const open = size;\n',
  "server/main.ts": 'import { open } from "../src/bundle/open.ts";\nexport const served = open;\n',
  "src/cli/main.ts": 'import { served } from "../../server/main.ts";\nexport const answer = served;\n',
};

let house: string;

beforeEach(async () => {
  house = await tmpDir();
  for (const name of [".dependency-cruiser.cjs", "tsconfig.json", "package.json"]) {
    await cp(join(packageRoot, name), join(house, name));
  }
  await symlink(join(packageRoot, "node_modules"), join(house, "node_modules"));
});

async function check(files: Readonly<Record<string, string>>): Promise<Outcome> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(house, name)), { recursive: true });
    await writeFile(join(house, name), text);
  }
  return runScript("check-layers.ts", house);
}

describe("the layer check", () => {
  it("passes a house in order, and says how much it read", async () => {
    const outcome = await check(clean);
    expect(outcome).toMatchObject({ code: 0, stderr: "" });
    expect(outcome.stdout).toBe("layers: kept (5 files, 4 imports)\n");
  });

  it("reports every planted violation at once", async () => {
    const outcome = await check({
      ...clean,
      "src/net/door.ts":
        'import { Agent } from "undici";\nimport "../store/disk.ts";\nexport const door = Agent;\n',
      "src/store/disk.ts": 'import { open } from "../bundle/open.ts";\nexport const disk = open;\n',
      "src/lib/fetch.ts": 'import type { Agent } from "undici";\nexport type Door = Agent;\n',
      "src/bundle/import.ts": 'import { door } from "../net/door.ts";\nexport const bring = door;\n',
      "src/bundle/plan.ts": 'import { parse } from "../config/load.ts";\nexport const plan = parse;\n',
      "src/config/load.ts": 'import { test } from "vitest";\nexport const parse = test;\n',
      "src/extra/thing.ts": 'import { size } from "../lib/size.ts";\nexport const thing = size;\n',
      "src/lib/lonely.ts": "export const lonely = 1;\n",
      "server/app.ts":
        'import type { bring } from "../src/bundle/import.ts";\nimport { plan } from "../src/bundle/plan.ts";\n' +
        'import "../src/cli/main.ts";\nexport const app: typeof bring | typeof plan = plan;\n',
      "src/cli/one.ts": 'import { two } from "./two.ts";\nexport const one = two;\n',
      "src/cli/two.ts": 'import { one } from "./one.ts";\nexport const two = one;\n',
    });
    expect(outcome.code).toBe(1);
    for (const found of [
      "layer-src-net: src/net/door.ts → src/store/disk.ts",
      "layer-src-store: src/store/disk.ts → src/bundle/open.ts",
      "layer-src-bundle: src/bundle/plan.ts → src/config/load.ts",
      "layer-server: server/app.ts → src/bundle/plan.ts",
      "layer-server: server/app.ts → src/cli/main.ts",
      "no-unlisted-folder: src/extra/thing.ts → src/lib/size.ts",
      "no-orphans: src/lib/lonely.ts",
    ]) {
      expect(outcome.stderr).toContain(found);
    }
    expect(outcome.stderr).toMatch(/sole-user-of-undici: src\/lib\/fetch\.ts → \S*node_modules\/undici\//);
    expect(outcome.stderr).toMatch(/not-to-dev-dep: src\/config\/load\.ts → \S*node_modules\/vitest\//);
    expect(outcome.stderr).toMatch(/no-circular: src\/cli\/(one|two)\.ts/);
    expect(outcome.stderr).toMatch(
      /server-is-offline: server\/app\.ts → src\/net\/door\.ts \(through .*import\.ts/,
    );
  });

  it("fails where there is nothing to read", async () => {
    const outcome = await check({});
    expect(outcome).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no TypeScript file") as string,
    });
  });

  it("fails where the cruiser read fewer files than there are", async () => {
    await rm(join(house, ".dependency-cruiser.cjs"));
    const outcome = await check({
      ...clean,
      ".dependency-cruiser.cjs":
        'module.exports = { forbidden: [], options: { exclude: "^src/(bundle|lib)/" } };\n',
    });
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain("2 of 5 files were not read: src/bundle/open.ts, src/lib/size.ts");
  });

  it("fails where the cruiser saw no import in any file", async () => {
    const outcome = await check({ "src/errors.ts": "export const broken = 1;\n" });
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain("no import was seen in 1 files");
  });
});
