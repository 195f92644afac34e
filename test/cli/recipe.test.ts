import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import {
  RecipeBuildsReport,
  RecipeCheckReport,
  RecipeListReport,
  RecipeShowReport,
} from "../../src/cli/recipe-reports.ts";
import { parseYamlAs } from "../../src/lib/yaml-file.ts";
import { Recipe } from "../../src/recipe/schema.ts";
import { builtinRecipes, plainRecipe } from "../support/recipes.ts";
import { runFerry } from "../support/run-ferry.ts";
import { tmpDir } from "../support/tmp.ts";

const CASES = "cases:\n  - { builds: { version: '1.0', arch: amd64 }, gives: [cpu, gpu-2.1] }\n";

async function overlayWith(cases: string): Promise<string> {
  const folder = await tmpDir();
  await writeFile(join(folder, "plain.yaml"), stringify(plainRecipe()));
  await writeFile(join(folder, "plain.cases.yaml"), cases);
  return folder;
}

describe("ferry recipe", () => {
  it("list names every engine, and where it is from", async () => {
    const overlay = await overlayWith(CASES);
    const words = await runFerry(["recipe", "list"], { env: { FERRY_RECIPES: overlay } });
    expect(words).toMatchObject({ code: 0, stderr: "" });
    expect(words.stdout.split("\n")[3]).toBe(
      "plain     Plain (overlay)  amd64,arm64  cpu gpu-2.*                     owner/plain",
    );
    const { stdout } = await runFerry(["recipe", "list", "--json", "--recipes", overlay]);
    const report = RecipeListReport.parse(JSON.parse(stdout));
    expect(report.engines.map(({ engine, overlay: own }) => [engine, own])).toEqual([
      ["comfyui", false],
      ["llamacpp", false],
      ["plain", true],
      ["sglang", false],
      ["strata", false],
      ["uv", false],
      ["vllm", false],
    ]);
  });

  it("show prints a recipe that can be copied into an overlay", async () => {
    for (const engine of ["llamacpp", "comfyui"]) {
      const { stdout } = await runFerry(["recipe", "show", engine]);
      const file = join(builtinRecipes, `${engine}.yaml`);
      expect(stdout).toMatch(new RegExp(`^# .*${engine}\\.yaml \\(built in\\)\n`));
      const copy = parseYamlAs(Recipe, stdout, "copy", "RECIPE_INVALID");
      expect(copy).toEqual(parseYamlAs(Recipe, await readFile(file, "utf8"), file, "RECIPE_INVALID"));
      const json = await runFerry(["recipe", "show", engine, "--json"]);
      expect(RecipeShowReport.parse(JSON.parse(json.stdout)).recipe).toEqual(copy);
    }
  });

  it("candidates are printed best first, with what they need", async () => {
    const args = [
      "recipe",
      "candidates",
      "llamacpp",
      "b11347",
      "--arch",
      "amd64",
      "--driver",
      "580.65.06",
      "--cc",
      "8.6",
    ];
    const { code, stdout } = await runFerry(args);
    expect(code).toBe(0);
    expect(stdout.split("\n").slice(0, 4)).toEqual([
      "cuda-13.3",
      "  needs  NVIDIA driver 580 or newer, compute capability 7.5 or more",
      "  asset  ggml-org/llama.cpp b11347 llama-b11347-bin-ubuntu-cuda-13.3-x64.tar.gz",
      "  asset  ggml-org/llama.cpp b11347 cudart-llama-b11347-bin-ubuntu-cuda-13.3-x64.tar.gz",
    ]);
    const json = await runFerry([...args, "--variant", "vulkan", "--json"]);
    expect(
      RecipeBuildsReport.parse(JSON.parse(json.stdout)).builds.map(({ build }) => build.variant),
    ).toEqual(["vulkan"]);
  });

  it("candidates are refused in words, on standard error alone", async () => {
    const { code, stdout, stderr } = await runFerry([
      "recipe",
      "candidates",
      "vllm",
      "0.30.0",
      "--arch",
      "amd64",
    ]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("NO_BUILD: vLLM runs on NVIDIA GPUs, and this machine has no NVIDIA driver");
    const odd = await runFerry([
      "recipe",
      "candidates",
      "uv",
      "0.12.23",
      "--arch",
      "amd64",
      "--driver",
      "new",
    ]);
    expect(odd).toMatchObject({ code: 2, stdout: "" });
    expect(odd.stderr).toContain('--driver must be a version such as 580.65.06, not "new"');
  });

  it("builds cover Python engines, and tell what older cards get instead", async () => {
    const { stdout } = await runFerry(["recipe", "builds", "vllm", "0.30.0", "--arch", "amd64"]);
    expect(stdout).toContain("wheel   vllm-project/vllm v0.30.0 vllm-0.30.0+cu129-*_x86_64.whl");
    expect(stdout).toContain("cu12 (version 0.19.1)\n  note     vLLM 0.19.1, the newest built for");
    const json = await runFerry(["recipe", "builds", "vllm", "0.30.0", "--arch", "amd64", "--json"]);
    const report = RecipeBuildsReport.parse(JSON.parse(json.stdout));
    expect([report.builds, report.fallbacks].map((all) => all.map(({ build }) => build.variant))).toEqual([
      ["cu13", "cu129"],
      ["cu12"],
    ]);
  });

  it("B14: builds of v0.5.0 say what that is", async () => {
    const { code, stderr } = await runFerry(["recipe", "builds", "llamacpp", "v0.5.0", "--arch", "amd64"]);
    expect(code).toBe(3);
    expect(stderr).toContain("llama.cpp v0.5.0 is no build: a pointer release");
  });

  it("check counts the cases of built-in recipes and of the overlay", async () => {
    const overlay = await overlayWith(CASES);
    const { code, stdout } = await runFerry(["recipe", "check", "--json", "--recipes", overlay]);
    const report = RecipeCheckReport.parse(JSON.parse(stdout));
    expect(code).toBe(0);
    expect(report.engines.map(({ engine }) => engine)).toEqual([
      "comfyui",
      "llamacpp",
      "sglang",
      "strata",
      "uv",
      "vllm",
      "plain",
    ]);
    expect(report.cases).toBe(report.engines.reduce((sum, { cases }) => sum + cases, 0));
    const alone = await runFerry(["recipe", "check", overlay]);
    expect(alone.stdout).toBe("plain  1 case  all as written\n1 cases of 1 recipes\n");
  });

  it("check passes over an overlay of pins, but not over a named folder without recipes", async () => {
    const pins = await tmpDir();
    expect(await runFerry(["recipe", "check"], { env: { FERRY_RECIPES: pins } })).toMatchObject({ code: 0 });
    const named = await runFerry(["recipe", "check", pins]);
    expect([named.code, named.stdout]).toEqual([2, ""]);
    expect(named.stderr).toContain("found no recipe to check");
  });

  it("check fails where a case comes out otherwise", async () => {
    const overlay = await overlayWith(CASES.replace("cpu, ", ""));
    const { code, stdout, stderr } = await runFerry(["recipe", "check", overlay]);
    expect(code).toBe(2);
    expect(stdout).toContain("1 otherwise");
    expect(stderr).toContain("plain.cases.yaml: case 1: gives cpu, gpu-2.1, must give gpu-2.1");
  });

  it("eval answers a line with a line, from a file or standard input", async () => {
    const lines =
      '{"fn":"builds","engine":"uv","version":"0.12.23","arch":"arm64"}\n{"fn":"candidates","engine":"vllm","version":"0.30.0","variant":"","host":{"arch":"amd64","nvidiaDriver":"","minComputeCapability":0}}\n';
    const folder = await tmpDir();
    await writeFile(join(folder, "cases"), lines);
    const fromFile = await runFerry(["recipe", "eval", "--cases", "cases"], { cwd: folder });
    const fromStream = await runFerry(["recipe", "eval", "--cases", "-"], { stdin: Readable.from([lines]) });
    expect(fromFile).toMatchObject({ code: 0, stderr: "" });
    expect(fromStream.stdout).toBe(fromFile.stdout);
    expect(
      fromFile.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as object),
    ).toEqual([
      { builds: [{ variant: "aarch64", assets: ["uv-aarch64-unknown-linux-gnu.tar.gz"], binary: "uv" }] },
      { error: expect.stringContaining("vLLM runs on NVIDIA GPUs") as string, notHere: true },
    ]);
  });

  it("eval answers nothing where a line is no case", async () => {
    const stdin = Readable.from([
      '{"fn":"builds","engine":"uv","version":"1","arch":"amd64"}\n{"fn":"install"}\n',
    ]);
    const { code, stdout, stderr } = await runFerry(["recipe", "eval", "--cases", "-"], { stdin });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("standard input:2: fn: ");
  });
});
