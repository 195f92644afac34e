import { describe, expect, it } from "vitest";
import { renderError } from "../../src/cli/render/error.ts";
import { FerryError } from "../../src/errors.ts";
import { runFerry } from "../support/run-ferry.ts";
import { tmpDir } from "../support/tmp.ts";

describe("the command line", () => {
  it("prints help and version as answers", async () => {
    const help = await runFerry(["--help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    for (const word of ["plan", "build", "verify", "FERRY_STORE", "Exit codes"]) {
      expect(help.stdout).toContain(word);
    }
    expect(await runFerry(["--version"])).toMatchObject({ code: 0, stdout: "0.0.0-test\n" });
    expect((await runFerry(["build", "--help"])).stdout).toContain("--sign-key");
    expect((await runFerry(["recipe", "eval", "--help"])).stdout).toContain("--cases");
  });

  it.each([
    [[], "Usage"],
    [["nope"], "unknown command"],
    [["plan"], "missing required argument"],
    [["plan", "a.yaml", "--nope"], "unknown option"],
    [["build", "a.yaml"], "--output"],
    [["build", "a.yaml", "-o", "x.tar", "--jobs", "0"], "whole number from 1"],
    [["verify", "x.tar"], "--key"],
    [["recipe", "candidates", "uv", "1", "--arch", "amd64", "--cc", "x"], "number such as 8.6"],
  ])("%j is bad usage, on standard error", async (argv, words) => {
    const run = await runFerry(argv);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(words);
    expect(run.stdout).toBe("");
  });

  it("names a spec that is not there, and where it was looked for", async () => {
    const run = await runFerry(["plan", "nowhere"]);
    expect(run.code).toBe(7);
    expect(run.stderr).toContain("bundles/nowhere.yaml");
  });

  it.each([
    [["--offline"], {}],
    [[], { FERRY_OFFLINE: "1" }],
  ])("opens no connection with %j %j", async (flags, env) => {
    const run = await runFerry(["plan", "llamacpp", ...flags], {
      env: { ...env, FERRY_STORE: await tmpDir() },
    });
    expect(run.code).toBe(4);
    expect(run.stderr).toContain("NET_OFFLINE");
  });
});

describe("renderError", () => {
  it("says what happened and what to do", () => {
    const text = renderError(new FerryError("NO_BUILD", "there is none", { hint: "Ask for another." }));
    expect(text).toBe("ferry: NO_BUILD: there is none\n  what to do: Ask for another.\n");
    expect(renderError(new FerryError("NO_BUILD", "x"))).toBe("ferry: NO_BUILD: x\n");
  });

  it("shows nothing of a message that could steer a terminal", () => {
    expect(renderError(new FerryError("NO_BUILD", "a\u001b[2Jb\nc"))).toBe(
      "ferry: NO_BUILD: a\\u{1b}[2Jb\nc\n",
    );
  });

  it("owns up to faults of ours", () => {
    expect(renderError(new TypeError("x is not a function"))).toMatch(
      /INTERNAL: .*fault of ferry itself[\s\S]*x is not a function/,
    );
    expect(renderError("odd")).toContain("odd");
  });
});
