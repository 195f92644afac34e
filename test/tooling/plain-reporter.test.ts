import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { closingLine } from "../support/plain-reporter.ts";
import { tmpDir } from "../support/tmp.ts";
import { packageRoot, runNode } from "./run-script.ts";

type State = "passed" | "failed" | "skipped" | "pending";

function file(
  states: State[],
  errors: unknown[] = [],
  suiteErrors: unknown[] = [],
): Parameters<typeof closingLine>[0][number] {
  return {
    errors: () => errors as never,
    children: {
      allTests: () => states.map((state) => ({ result: () => ({ state }) })),
      allSuites: () => [{ errors: () => suiteErrors }],
    },
  };
}

describe("the closing line", () => {
  const boom = new Error("boom");
  it.each([
    [
      "counts tests of all files",
      [file(["passed", "failed"]), file(["passed", "skipped"])],
      [],
      "2 passed, 1 failed, 1 skipped",
    ],
    [
      "counts a file that could not be loaded as failed",
      [file([], [boom])],
      [],
      "0 passed, 1 failed, 0 skipped",
    ],
    [
      "counts a hook that threw as failed",
      [file(["skipped"], [], [boom])],
      [],
      "0 passed, 1 failed, 1 skipped",
    ],
    [
      "counts an error that no test caught as failed",
      [file(["passed"])],
      [boom],
      "1 passed, 1 failed, 0 skipped",
    ],
    [
      "counts a test that never ended as failed",
      [file(["passed", "pending"])],
      [],
      "1 passed, 1 failed, 0 skipped",
    ],
    ["counts a run of nothing as failed", [], [], "0 passed, 1 failed, 0 skipped"],
  ])("%s", (_, modules, unhandled, expected) => {
    expect(closingLine(modules, unhandled)).toBe(`tests: ${expected}`);
  });

  it("is what vitest prints, with a non-zero exit, when a file cannot be loaded", async () => {
    const folder = await tmpDir();
    await symlink(join(packageRoot, "node_modules"), join(folder, "node_modules"));
    await mkdir(join(folder, "test"));
    await writeFile(join(folder, "package.json"), '{ "type": "module" }\n');
    await writeFile(
      join(folder, "test", "good.test.ts"),
      'import { it } from "vitest";\nit("passes", () => undefined);\nit.skip("rests", () => undefined);\n',
    );
    await writeFile(join(folder, "test", "bad.test.ts"), 'import "./no-such-file.ts";\n');
    const reporter = join(packageRoot, "test", "support", "plain-reporter.ts");
    const vitest = join(packageRoot, "node_modules", "vitest", "vitest.mjs");
    const outcome = runNode([vitest, "run", "--root", folder, "--reporter", reporter], folder);
    expect(outcome.stdout).toContain("tests: 1 passed, 1 failed, 1 skipped\n");
    expect(outcome.code).toBe(1);
  });
});
