import { appendFile, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SCHEMAS } from "../../scripts/schema-list.ts";
import { tmpDir } from "../support/tmp.ts";
import { runScript } from "./run-script.ts";

it("every schema says its own name", async () => {
  const folder = await tmpDir();
  expect(runScript("schemas.ts", folder)).toMatchObject({ code: 0, stderr: "" });
  for (const { file, title } of SCHEMAS) {
    expect(JSON.parse(await readFile(join(folder, file), "utf8"))).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: `urn:engine-ferry:schema:${file}`,
      title,
    });
  }
});

it("the schema check passes what was just written and names every kind of drift", async () => {
  const folder = await tmpDir();
  const names = SCHEMAS.map((entry) => entry.file).sort();

  runScript("schemas.ts", folder);
  expect((await readdir(folder)).sort()).toEqual(names);
  expect(runScript("schemas.ts", "--check", folder)).toMatchObject({ code: 0, stderr: "" });

  await rm(join(folder, "recipe.schema.json"));
  await appendFile(join(folder, "document.schema.json"), "\n");
  await writeFile(join(folder, "old.schema.json"), "{}\n");
  const drifted = runScript("schemas.ts", "--check", folder);
  expect(drifted.code).toBe(1);
  for (const name of ["recipe.schema.json", "document.schema.json", "old.schema.json"]) {
    expect(drifted.stderr).toContain(name);
  }

  runScript("schemas.ts", folder);
  expect((await readdir(folder)).sort()).toEqual(names);
});
