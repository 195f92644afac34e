import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EvalCase, evalCase } from "../../src/recipe/eval.ts";
import { loadTable } from "../../src/recipe/load.ts";

interface Shared {
  installable: string[];
  builds: object[];
  cases: (Record<string, unknown> & { builds?: number[]; error?: string; notHere?: boolean })[];
}

const root = join(import.meta.dirname, "../..");
const shared = JSON.parse(await readFile(join(root, "test/fixtures/recipe-cases.json"), "utf8")) as Shared;
const table = await loadTable({ builtin: join(root, "bundles/engines") });

/** What the reference answers: builds as they are; of a refusal only its kind. */
function wanted(one: Shared["cases"][number]): unknown {
  if (one.error !== undefined) return one.notHere === true ? "refused: not here" : "refused";
  return (one.builds ?? []).map((index) => shared.builds[index]);
}

function found(one: Shared["cases"][number]): unknown {
  const answer = evalCase(table, EvalCase.parse(one));
  if ("builds" in answer) return answer.builds;
  expect(answer.error).not.toBe("");
  return answer.notHere === true ? "refused: not here" : "refused";
}

describe("the shared cases of the reference table", () => {
  it("agrees with all 1,062", () => {
    expect(shared.cases).toHaveLength(1062);
    const differing = shared.cases
      .map((one) => ({ one, wanted: wanted(one), found: found(one) }))
      .filter((result) => JSON.stringify(sorted(result.wanted)) !== JSON.stringify(sorted(result.found)));
    expect(differing).toEqual([]);
  });

  it("has every engine that the reference installs", () => {
    const engines = table.entries.filter((entry) => entry.recipe.tool !== true).map((entry) => entry.engine);
    expect(engines).toEqual(expect.arrayContaining(shared.installable));
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, sorted(v)]),
  );
}
