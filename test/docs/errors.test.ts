import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ERROR_CODES, EXIT } from "../../src/errors.ts";

const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");

it("docs/errors.md explains every code, and no other", () => {
  const documented = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map((match) => match[1]);
  expect(documented.length).toBeGreaterThan(30);
  expect([...documented].sort()).toEqual(Object.keys(ERROR_CODES).sort());
});

it("docs/errors.md explains every exit code, and each is distinct", () => {
  const documented = [...page.matchAll(/^\| (\d+) \|/gm)].map((match) => Number(match[1]));
  expect([...documented].sort()).toEqual(Object.values(EXIT).sort());
  expect(new Set(documented).size).toBe(documented.length);
});

it("each code stands under the heading of its exit code", () => {
  for (const section of page.split(/^## /m).slice(1)) {
    const exits = new Set((section.split(":")[0] ?? "").split(",").map(Number));
    for (const [, code = ""] of section.matchAll(/^\| `([A-Z_]+)` \|/gm)) {
      expect(exits, code).toContain(ERROR_CODES[code as keyof typeof ERROR_CODES]);
    }
  }
});
