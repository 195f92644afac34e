import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tmpDir } from "../support/tmp.ts";
import { packageRoot, runNode } from "./run-script.ts";

describe.each(["build", "serve", "python"])("bench:%s", (name) => {
  const run = (...args: string[]): ReturnType<typeof runNode> =>
    runNode(["--import", "tsx", `bench/${name}.ts`, ...args], packageRoot);

  it("answers an option that it does not understand with a sentence and its usage", () => {
    for (const [args, sentence] of [
      [["--only", "nope"], "bench: --only: nope is none of "],
      [["--rounds", "few"], "bench: --rounds must be a whole number, not few\n"],
      [["--wrong"], "bench: Unknown option '--wrong'"],
    ] as const) {
      const { code, stdout, stderr } = run(...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr.startsWith(sentence), stderr).toBe(true);
      expect(stderr).toContain(`\nnpm run bench:${name} -- [options]\n`);
      expect(stderr).not.toMatch(/^ +at /m);
    }
  });

  it("says without a stack what went wrong while it measured", async () => {
    const { code, stdout, stderr } = run("--dir", join(await tmpDir(), "none"));
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^bench: .*none$/m);
    expect(stderr).not.toMatch(/^ +at /m);
  });
});
