import { spawn } from "node:child_process";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { PACKAGE_ROOT } from "../support/run-ferry.ts";
import { type Site, site } from "../support/site.ts";
import { tmpDir } from "../support/tmp.ts";

const SPEC = "name: uv\nengines:\n  - engine: uv\n    versions: [0.12.23]\n";

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

function run(script: string, cwd: string, env: Record<string, string>): Promise<Ended> {
  const child = spawn("bash", [join(PACKAGE_ROOT, "scripts", script)], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ code, stdout, stderr });
    });
  });
}

async function program(folder: string, name: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), `#!/bin/sh\n${text}`);
  await chmod(join(folder, name), 0o755);
}

interface Runner extends Site {
  /** Runs the action's main step with these inputs over good ones. */
  action: (inputs?: Record<string, string>) => Promise<Ended>;
  read: (name: string) => Promise<string>;
  /** What `gh` was called with, and the secrets that it saw; undefined if it was not called. */
  uploaded: () => Promise<{ arguments: string[]; secrets: string[] } | undefined>;
}

const lines = (text: string): string[] => text.split("\n").filter((line) => line !== "");

/** A runner's working folder with a spec, a key, the real `ferry`, and a `gh` that only writes down how it is called. */
async function runner(passphrase?: string): Promise<Runner> {
  const place = await site();
  const { folder, at, env } = place;
  await place.spec(SPEC);
  await mkdir(at("tmp"));
  await program(at("bin"), "gh", `printf '%s\\n' "$@" >'${at("gh.arguments")}'\nenv >'${at("gh.env")}'\n`);
  const protect = passphrase === undefined ? [] : ["--passphrase-file", "word"];
  await writeFile(at("word"), `${passphrase ?? ""}\n`);
  const made = await place.ferry("keys", "new", "--out", "k", ...protect);
  expect(made.code, made.stderr).toBe(0);
  const read = (name: string): Promise<string> => readFile(at(name), "utf8");
  const inputs = { INPUT_SPEC: "spec.yaml", INPUT_KEY: await read("k.key"), INPUT_TOKEN: "practice-token" };
  return {
    ...place,
    read,
    action: (more = {}) =>
      run("action.sh", folder, {
        ...env,
        PATH: `${at("bin")}:${process.env["PATH"] ?? ""}`,
        HOME: folder,
        RUNNER_TEMP: at("tmp"),
        FERRY: join(PACKAGE_ROOT, "bin", "ferry.mjs"),
        GITHUB_OUTPUT: at("output"),
        GITHUB_STEP_SUMMARY: at("summary"),
        GITHUB_REPOSITORY: "site/carries",
        ...inputs,
        ...more,
      }),
    uploaded: async () => {
      if (!(await readdir(folder)).includes("gh.arguments")) return undefined;
      const secrets = lines(await read("gh.env"))
        .filter((line) => /KEY|PASS|TOKEN/.test(line))
        .toSorted();
      return { arguments: lines(await read("gh.arguments")), secrets };
    },
  };
}

describe("the action", { timeout: 120_000 }, () => {
  it("builds, signs, verifies and attaches a bundle", async () => {
    const { action, at, ferry, folder, read, uploaded } = await runner();
    const ended = await action({ INPUT_ATTACH: "true", INPUT_TAG: "v7" });
    expect(ended.code, ended.stderr).toBe(0);

    const verified = await ferry("verify", "spec.tar", "--key", "k.pub");
    expect(verified.code, verified.stderr).toBe(0);
    expect(JSON.parse(await read("spec.tar.cdx.json"))).toMatchObject({ bomFormat: "CycloneDX" });
    const files = ["spec.tar", "spec.tar.lock.json", "spec.tar.cdx.json", "spec.tar.sha256"];
    expect(await uploaded()).toEqual({
      arguments: ["release", "upload", "v7", "--clobber", "--repo", "site/carries", ...files],
      secrets: ["GH_TOKEN=practice-token", "GITHUB_TOKEN=practice-token"],
    });
    const check = spawn("sha256sum", ["-c", "--quiet", "spec.tar.sha256"], { cwd: folder, stdio: "ignore" });
    expect(await new Promise((resolve) => check.on("close", resolve))).toBe(0);

    const digest = (await read("spec.tar.sha256")).slice(0, 64);
    expect(lines(await read("output"))).toEqual([
      "bundle=spec.tar",
      `digest=${digest}`,
      "lock=spec.tar.lock.json",
      "sbom=spec.tar.cdx.json",
      "checksums=spec.tar.sha256",
    ]);
    expect(await read("summary")).toContain(digest);
    // Nothing of the key is left.
    expect(await readdir(at("tmp"))).toEqual([]);
  });

  it("attaches nothing unless told, and writes where it is told", async () => {
    const { action, folder, at, uploaded } = await runner();
    await mkdir(at("out"));
    const ended = await action({ INPUT_OUTPUT: "out/carry.tar" });
    expect(ended.code, ended.stderr).toBe(0);
    expect(await uploaded()).toBeUndefined();
    expect((await readdir(join(folder, "out"))).toSorted()).toEqual([
      "carry.tar",
      "carry.tar.cdx.json",
      "carry.tar.lock.json",
      "carry.tar.sha256",
    ]);
  });

  it("opens an encrypted key, and asks nobody for anything with a wrong passphrase", async () => {
    const { action, upstream, at } = await runner("correct horse");
    for (const passphrase of ["battery staple", ""]) {
      const refused = await action({ INPUT_PASSPHRASE: passphrase });
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain("the input passphrase does not open it");
    }
    expect(upstream.requests).toEqual([]);
    const ended = await action({ INPUT_PASSPHRASE: "correct horse" });
    expect(ended.code, ended.stderr).toBe(0);
    expect(await readdir(at("tmp"))).toEqual([]);
  });

  it("holds to a given lock, and attaches nothing where the spec has gone beyond it", async () => {
    const { action, ferry, spec, uploaded, folder } = await runner();
    expect((await ferry("plan", "spec.yaml", "--write-lock", "kept.lock.json")).code).toBe(0);
    const given = { INPUT_LOCK: "kept.lock.json", INPUT_ATTACH: "true", INPUT_TAG: "v7" };
    const ended = await action(given);
    expect(ended.code, ended.stderr).toBe(0);
    expect((await uploaded())?.arguments).toContain("kept.lock.json");

    await spec(SPEC.replace("name: uv", "name: uv\ncounter: 2"));
    const refused = await action({ ...given, INPUT_OUTPUT: "second.tar" });
    expect(refused.code).not.toBe(0);
    expect(await readdir(folder)).not.toContain("second.tar");
    expect((await uploaded())?.arguments).toContain("spec.tar");
  });

  it.each([
    ["no key", { INPUT_KEY: "" }, "the input key is empty"],
    ["something that is no key", { INPUT_KEY: "hunter2" }, "no private key in PEM"],
    ["no spec", { INPUT_SPEC: "" }, "the input spec is empty"],
    ["a release without a name", { INPUT_ATTACH: "true" }, "the input tag is empty"],
    ["neither true nor false", { INPUT_ATTACH: "yes" }, "must be true or false, not yes"],
    ["a folder to write to", { INPUT_OUTPUT: "out/" }, "must end in .tar"],
  ])("refuses %s in words, before any request", async (_, inputs, words) => {
    const { action, upstream, uploaded } = await runner();
    const refused = await action(inputs);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(words);
    expect(upstream.requests).toEqual([]);
    expect(await uploaded()).toBeUndefined();
  });
});

describe("the action's installing step", () => {
  /** `npm` writes down how it is called and where, and puts a `ferry` where npm would. */
  async function install(
    version: string,
  ): Promise<{ ended: Ended; folder: string; log: string; output: string }> {
    const folder = await tmpDir();
    const at = (name: string): string => join(folder, name);
    await program(
      at("bin"),
      "npm",
      `echo "$PWD: $*" >>'${at("npm.log")}'
[ "$2" != --prefix ] || { mkdir -p "$3/node_modules/.bin"; cp '${at("checkout/bin/ferry.mjs")}' "$3/node_modules/.bin/ferry"; }
`,
    );
    await program(at("checkout/bin"), "ferry.mjs", "echo 0.1.0\n");
    const ended = await run("action-install.sh", folder, {
      PATH: `${at("bin")}:${process.env["PATH"] ?? ""}`,
      ACTION_ROOT: at("checkout"),
      GITHUB_OUTPUT: at("output"),
      RUNNER_TEMP: folder,
      INPUT_VERSION: version,
    });
    return {
      ended,
      folder,
      log: await readFile(at("npm.log"), "utf8"),
      output: await readFile(at("output"), "utf8"),
    };
  }

  it("builds the action's own revision", async () => {
    const { ended, folder, log, output } = await install("");
    expect(ended.code, ended.stderr).toBe(0);
    expect(log).toBe(`${folder}/checkout: ci\n${folder}/checkout: run build\n`);
    expect(output).toBe(`ferry=${folder}/checkout/bin/ferry.mjs\n`);
  });

  it.each([
    ["0.1.0", "engine-ferry@0.1.0"],
    ["./engine-ferry-0.1.0.tgz", "./engine-ferry-0.1.0.tgz"],
  ])("installs %s when told", async (version, wanted) => {
    const { ended, log, output } = await install(version);
    expect(ended.code, ended.stderr).toBe(0);
    expect(log.trimEnd().endsWith(` ${wanted}`), log).toBe(true);
    expect(output).toMatch(/^ferry=.*\/node_modules\/\.bin\/ferry\n$/);
  });
});

describe("action.yml", () => {
  const Step = z.strictObject({
    name: z.string(),
    id: z.string(),
    shell: z.literal("bash"),
    run: z.string(),
    env: z.record(z.string(), z.string()),
  });
  const Action = z.object({
    inputs: z.record(
      z.string(),
      z.strictObject({
        description: z.string(),
        required: z.boolean().optional(),
        default: z.string().optional(),
      }),
    ),
    outputs: z.record(z.string(), z.strictObject({ description: z.string(), value: z.string() })),
    runs: z.strictObject({ using: z.literal("composite"), steps: z.array(Step) }),
  });

  it("passes every input on, by the name that the scripts read, and gives out what they write", async () => {
    const text = await readFile(join(PACKAGE_ROOT, "action.yml"), "utf8");
    const { inputs, outputs, runs } = Action.parse(parse(text));
    const passed = runs.steps.flatMap(({ env }) => Object.entries(env));
    const [install = "", main = ""] = await Promise.all(
      ["action-install.sh", "action.sh"].map((name) => readFile(join(PACKAGE_ROOT, "scripts", name), "utf8")),
    );
    for (const input of Object.keys(inputs)) {
      const variable = `INPUT_${input.toUpperCase()}`;
      expect(passed).toContainEqual([variable, `\${{ inputs.${input} }}`]);
      expect(`${install}${main}`).toContain(variable);
    }
    const read = new Set(`${install}${main}`.match(/INPUT_[A-Z]+/g));
    expect([...read].toSorted()).toEqual(
      Object.keys(inputs)
        .map((name) => `INPUT_${name.toUpperCase()}`)
        .toSorted(),
    );
    expect(Object.entries(outputs).map(([name, { value }]) => [name, value])).toEqual(
      ["bundle", "digest", "lock", "sbom", "checksums"].map((name) => [
        name,
        `\${{ steps.build.outputs.${name} }}`,
      ]),
    );
    for (const { run: command, env } of runs.steps) {
      expect(command).toMatch(/^bash "\$ACTION_ROOT\/scripts\/action(?:-install)?\.sh"$/);
      expect(env["ACTION_ROOT"]).toBe("${{ github.action_path }}");
    }
  });
});
