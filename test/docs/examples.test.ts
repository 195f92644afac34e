import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parseSpec } from "../../src/bundle/spec.ts";

const folder = new URL("../../bundles/", import.meta.url);
const examples = readdirSync(folder).filter((name) => name.endsWith(".yaml"));

it("there are examples, and each is a spec that is read", () => {
  expect(examples.length).toBeGreaterThan(1);
  for (const name of examples) {
    expect(parseSpec(readFileSync(new URL(name, folder), "utf8"), name).name).toBe(name.replace(".yaml", ""));
  }
});
