import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { loadCatalog } from "../../server/catalog-load.ts";
import type { InstallCatalog } from "../../server/install/carried-build.ts";
import { InstallPlan } from "../../server/install/install-plan.ts";
import { planInstall } from "../../server/install/plan.ts";
import { planText } from "../../server/install/plan-text.ts";
import { glibcTooOld } from "../../server/install/python-candidate.ts";
import { viewStore } from "../../server/store-view.ts";
import type { PythonBuild } from "../../src/bundle/document-python.ts";
import { offers } from "../../src/recipe/query.ts";
import {
  type BundledWheel,
  INTERPRETER_PATH,
  lockPath,
  pythonBundle,
  UV_PATH,
  wheelPath,
} from "../support/python-bundle.ts";
import { makeWheel } from "../support/python-index/wheel.ts";
import { builtinTable } from "../support/recipes.ts";
import { type ImportNotes, servedStore } from "../support/served-store.ts";
import { tmpDir } from "../support/tmp.ts";

const table = await builtinTable();
const CARD = { arch: "amd64", nvidiaDriver: "580.65.06", minComputeCapability: 8.9, glibc: "2.36" };
const WHEEL: BundledWheel = { distribution: makeWheel({ name: "vllm", version: "1.0" }) };

interface Engine {
  engine: string;
  version: string;
  /** By variant. */
  builds: Readonly<Record<string, Partial<PythonBuild>>>;
  files?: Readonly<Record<string, string>>;
}

/** A mirror that carries an engine of the built-in table, each build with a wheel. */
async function catalogOf(
  { engine, version, builds, files }: Engine,
  notes?: ImportNotes,
): Promise<InstallCatalog> {
  const recipe = table.recipe(engine);
  const known = offers(table, { engine, version, arch: "amd64" });
  const bundle = pythonBundle({
    name: "py",
    files: { ...files },
    builds: Object.entries(builds).map(([variant, python]) => {
      const offer = known.find(({ build }) => build.variant === variant);
      if (offer === undefined) throw new Error(`${engine} has no ${variant}`);
      const parts = [python.source ?? [], python.assets ?? []].flat();
      const paths = [lockPath({ engine, version, variant, wheels: [] }), python.uv ?? UV_PATH];
      return {
        engine,
        version,
        variant,
        wheels: [WHEEL],
        python,
        changes: {
          build: offer.build,
          needs: offer.needs,
          files: [...paths, INTERPRETER_PATH, wheelPath(WHEEL), ...parts],
        },
      };
    }),
    document: { recipes: [{ engine, recipe }] },
  });
  const store = await servedStore(await tmpDir());
  await store.add(bundle, notes);
  return (await loadCatalog(viewStore(store.root))).catalog;
}

const GRAMMAR = await scriptGrammar();

async function scriptGrammar(): Promise<string> {
  const part = await readFile(new URL("../../server/install/script/plan.sh", import.meta.url), "utf8");
  return spawnSync("sh", ["-c", `${part}\nplan_grammar`], { encoding: "utf8" }).stdout;
}

/** Plans, and has the script's own grep judge every line of the text. */
function plan(catalog: InstallCatalog, engine: string, version: string, host = CARD): InstallPlan {
  const answer = planInstall(catalog, { engine, version, variant: "", key: "", host });
  InstallPlan.parse(JSON.parse(JSON.stringify(answer)));
  const args = [
    "-v",
    "-E",
    ...GRAMMAR.trim()
      .split("\n")
      .flatMap((line) => ["-e", line]),
  ];
  expect(spawnSync("grep", args, { input: planText(answer), encoding: "utf8" }).stdout).toBe("");
  return answer;
}

const vllm = (builds: Engine["builds"]): Engine => ({ engine: "vllm", version: "0.30.0", builds });

describe("a Python engine in the plan", () => {
  it("is a candidate with its uv, interpreter and lock, and what its environment needs", async () => {
    const catalog = await catalogOf(vllm({ cu13: { glibc: "2.31", packages: 198, bytes: 3_890_000_000 } }));
    const answer = plan(catalog, "vllm", "0.30.0");
    const [candidate] = answer.candidates;
    expect(candidate).toMatchObject({
      variant: "cu13",
      binary: "vllm",
      versionArgs: ["--version"],
      freeBytes: 25_000_000_000,
      packages: { deb: ["gcc"] },
      python: { version: "3.12", glibc: "2.31", packages: 198, wheelBytes: 3_890_000_000, gpuCheck: true },
    });
    expect(candidate?.files.map((file) => ["role" in file && file.role, file.path])).toEqual([
      ["uv", UV_PATH],
      ["interpreter", INTERPRETER_PATH],
      ["lock", "locks/vllm/0.30.0/amd64/cu13/pylock.toml"],
    ]);
    expect(candidate?.bytes).toBeGreaterThan(3_890_000_000);
    expect(planText(answer)).toContain(
      "\npython 3.12\nglibc 2.31\nwheels 198 3890000000\ngpucheck torch\nbinary vllm\nargs --version\n",
    );
  });

  it("says its version by a program of several lines, each argument as one JSON string", async () => {
    const source = "Comfy-Org/ComfyUI/archive/refs/tags/v0.39.2.tar.gz";
    const engine: Engine = {
      engine: "comfyui",
      version: "0.39.2",
      builds: { cu13: { source } },
      files: { [source]: "an archive" },
    };
    const text = planText(plan(await catalogOf(engine), "comfyui", "0.39.2"));
    expect(text).toContain("\nsource comfyui ComfyUI-0.39.2\n");
    expect(text).toContain(
      '\nargument "-c"\nargument "import os, sys, torch, aiohttp, safetensors\\nd = os.path',
    );
    expect(text).toContain(` source ${source}\n`);
    expect(text).not.toMatch(/^args /m);
  });

  it.each([
    ["2.31", "2.34", "cu13: needs glibc 2.34, this node has 2.31"],
    ["2.28", "2.31", "cu13: needs glibc 2.31, this node has 2.28"],
    ["2.4", "2.17", "cu13: needs glibc 2.17, this node has 2.4"],
  ])("P12: a node with glibc %s is refused what needs %s, in words", async (has, needs, words) => {
    const answer = plan(await catalogOf(vllm({ cu13: { glibc: needs } })), "vllm", "0.30.0", {
      ...CARD,
      glibc: has,
    });
    expect(answer.candidates).toEqual([]);
    expect(answer.refusal).toMatchObject({ kind: "does-not-fit", exitCode: 8 });
    expect(answer.refusal?.message).toContain(words);
  });

  it.each([["2.34"], ["2.35"], ["2.34.9000"], [""]])(
    "P12: glibc %j may run what needs 2.34",
    async (glibc) => {
      const answer = plan(await catalogOf(vllm({ cu13: { glibc: "2.34" } })), "vllm", "0.30.0", {
        ...CARD,
        glibc,
      });
      expect(answer.candidates).toHaveLength(1);
    },
  );

  it("P12: another build that an older glibc is enough for is offered, and it is said what is not", async () => {
    const catalog = await catalogOf(vllm({ cu13: { glibc: "2.34" }, cu129: { glibc: "2.28" } }));
    const answer = plan(catalog, "vllm", "0.30.0", { ...CARD, glibc: "2.31" });
    expect(answer.candidates.map(({ variant }) => variant)).toEqual(["cu129"]);
    expect(answer.left).toEqual([{ variant: "cu13", reason: "needs glibc 2.34, this node has 2.31" }]);
  });

  it("is not offered while one of its wheels is awaited", async () => {
    const catalog = await catalogOf(vllm({ cu13: {} }), { without: [wheelPath(WHEEL)] });
    const answer = plan(catalog, "vllm", "0.30.0");
    expect(answer.refusal).toMatchObject({ kind: "not-carried" });
    expect(answer.refusal?.message).toContain("vllm-1.0-py3-none-any.whl is not here: another volume");
  });

  it("is not offered with a uv that tar cannot unpack", async () => {
    const uv = "astral-sh/uv/releases/download/0.12.23/uv.zip";
    const catalog = await catalogOf({ ...vllm({ cu13: { uv } }), files: { [uv]: "a zip" } });
    expect(plan(catalog, "vllm", "0.30.0").refusal?.message).toContain(
      "uv.zip is no archive that tar can unpack",
    );
  });

  it("is not for a machine without a card, and that is no fault", async () => {
    const host = { ...CARD, nvidiaDriver: "", minComputeCapability: 0 };
    const answer = plan(await catalogOf(vllm({ cu13: {} })), "vllm", "0.30.0", host);
    expect(answer.refusal).toMatchObject({ kind: "not-here", exitCode: 9 });
  });

  it.each([
    ["2.34", "2.31", "needs glibc 2.34, this node has 2.31"],
    ["2.34", "2.34", undefined],
    ["2.17", "2.4", "needs glibc 2.17, this node has 2.4"],
    ["2.99", "3.0", undefined],
  ])("compares glibc as numbers: %s needed, %s there", (needed, has, words) => {
    expect(glibcTooOld(needed, has)).toBe(words);
  });
});
