import { readdir, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { inOutputTurn } from "../../src/bundle/output-turn.ts";
import { openLayoutStore } from "../../src/store/layout-store.ts";
import { site } from "../support/site.ts";
import { tmpDir } from "../support/tmp.ts";

const SPEC =
  "name: one\nengines:\n  - { engine: llamacpp, versions: [b11347], arch: [amd64], variants: [cpu] }\n";

it("what a killed run left half written beside the output goes before the next is written", async () => {
  const { ferry, spec, at, folder } = await site();
  await writeFile(at(".b.tar.0123456789ab.tmp"), "half");
  await writeFile(at(".b.tar.mine.tmp"), "somebody's");
  const run = await ferry("build", await spec(SPEC), "-o", "b.tar");
  expect(run.code, run.stderr).toBe(0);
  expect(run.stderr).toContain("left half written");
  const names = await readdir(folder);
  expect(names).toContain("b.tar");
  expect(names).toContain(".b.tar.mine.tmp");
  expect(names).not.toContain(".b.tar.0123456789ab.tmp");
});

it("two runs of one store do not write one output together", async () => {
  const store = await openLayoutStore(await tmpDir());
  const logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    progress: () => undefined,
  };
  const output = `${await tmpDir()}/b.tar`;
  await inOutputTurn(store, output, logger, async () => {
    await expect(inOutputTurn(store, output, logger, () => Promise.resolve(1))).rejects.toMatchObject({
      code: "STORE_BUSY",
    });
  });
  expect(await inOutputTurn(store, output, logger, () => Promise.resolve(2))).toBe(2);
});
