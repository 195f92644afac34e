import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadCatalog } from "../../server/catalog-load.ts";
import type { InstallCatalog } from "../../server/install/carried-build.ts";
import { InstallPlan } from "../../server/install/install-plan.ts";
import { planInstall } from "../../server/install/plan.ts";
import { planText } from "../../server/install/plan-text.ts";
import { type InstallQuestion, parseQuestion } from "../../server/install/question.ts";
import { viewStore } from "../../server/store-view.ts";
import { Recipe } from "../../src/recipe/schema.ts";
import { releaseAssetPath } from "../../src/wire/github.ts";
import {
  llamaRecipe,
  type PracticeOptions,
  practiceBundle,
  REPO,
} from "../support/install/practice-bundle.ts";
import { builtinTable, plainRecipe } from "../support/recipes.ts";
import { type ImportNotes, servedStore, type TestBundle } from "../support/served-store.ts";
import { tmpDir } from "../support/tmp.ts";

const table = await builtinTable();

async function catalogOf(...bundles: (TestBundle | [TestBundle, ImportNotes])[]): Promise<InstallCatalog> {
  const store = await servedStore(await tmpDir());
  for (const [at, entry] of bundles.entries()) {
    const [bundle, notes] = Array.isArray(entry) ? entry : [entry, {}];
    await store.add(bundle, { importedAt: `2026-11-0${at + 1}T08:00:00.000Z`, ...notes });
  }
  return (await loadCatalog(viewStore(store.root))).catalog;
}

const BARE = { arch: "amd64", nvidiaDriver: "", minComputeCapability: 0, glibc: "2.36" };
const NEW_CARD = { ...BARE, nvidiaDriver: "580.65.06", minComputeCapability: 8.9 };

function ask(changes: Partial<InstallQuestion> = {}): InstallQuestion {
  return { engine: "llamacpp", version: "b11347", variant: "", key: "", host: BARE, ...changes };
}

/** Plans, and makes sure that both spellings of the plan are sound whatever it says. */
function plan(catalog: InstallCatalog, changes: Partial<InstallQuestion> = {}): InstallPlan {
  const answer = planInstall(catalog, ask(changes));
  InstallPlan.parse(JSON.parse(JSON.stringify(answer)));
  expect(strangeLines(planText(answer))).toEqual([]);
  expect(answer.candidates.length > 0).toBe(answer.refusal === undefined);
  return answer;
}

const GRAMMAR = await scriptGrammar();

/** The patterns by which the script itself judges the lines of a plan. */
async function scriptGrammar(): Promise<RegExp[]> {
  const part = await readFile(new URL("../../server/install/script/plan.sh", import.meta.url), "utf8");
  const { stdout } = spawnSync("sh", ["-c", `${part}\nplan_grammar`], { encoding: "utf8" });
  const patterns = stdout.trim().split("\n");
  expect(patterns.length).toBeGreaterThan(10);
  return patterns.map((pattern) => new RegExp(pattern));
}

function strangeLines(text: string): string[] {
  expect(text.endsWith("\nend\n")).toBe(true);
  const lines = text.slice(0, -1).split("\n");
  return lines.filter((line) => !GRAMMAR.some((pattern) => pattern.test(line)));
}

const variants = ({ candidates }: InstallPlan): string[] => candidates.map(({ variant }) => variant);

describe("what a node is offered", () => {
  it("is what the table offers such a machine, in its order, with the carried members of families", async () => {
    const catalog = await catalogOf(practiceBundle({ archs: ["amd64", "arm64"] }));
    expect(variants(plan(catalog))).toEqual(["cpu"]);
    expect(variants(plan(catalog, { host: NEW_CARD }))).toEqual(["cuda-13.4", "cuda-12.8", "vulkan"]);
    expect(variants(plan(catalog, { host: { ...NEW_CARD, nvidiaDriver: "550.54" } }))).toEqual([
      "cuda-12.8",
      "vulkan",
    ]);
    expect(variants(plan(catalog, { host: { ...NEW_CARD, arch: "arm64" } }))).toEqual([
      "cuda-13.4",
      "vulkan",
    ]);
    expect(variants(plan(catalog, { host: NEW_CARD, variant: "cuda-13" }))).toEqual(["cuda-13.4"]);
    expect(variants(plan(catalog, { host: NEW_CARD, variant: "vulkan" }))).toEqual(["vulkan"]);
  });

  it("names every file with path, digest, size and bundle, and what is checked", async () => {
    const bundle = practiceBundle({ name: "site-b", counter: 7 });
    const [candidate] = plan(await catalogOf(bundle), { host: NEW_CARD }).candidates;
    const assets = [
      "llama-b11347-bin-ubuntu-cuda-13.4-x64.tar.gz",
      "cudart-llama-b11347-bin-ubuntu-cuda-13.4-x64.tar.gz",
    ];
    expect(candidate).toMatchObject({
      version: "b11347",
      bundle: { name: "site-b", counter: 7 },
      binary: "llama-server",
      versionArgs: ["--version"],
      gpuBackend: "libggml-cuda.so",
      devices: "cuda",
      packages: { deb: ["libgomp1"], rpm: ["libgomp"] },
      needs: { nvidia: true, driver: "580", cc: { min: 7.5 } },
    });
    expect(
      candidate?.files.map((file) => [
        file.path,
        "archive" in file && file.archive,
        "strip" in file && file.strip,
      ]),
    ).toEqual(assets.map((asset) => [releaseAssetPath(REPO, "b11347", asset), "tar.gz", 1]));
    expect(candidate?.bytes).toBe(candidate?.files.reduce((sum, { size }) => sum + size, 0));
  });

  it("is only what is here, and says what else would run and why it is not offered", async () => {
    const answer = plan(await catalogOf(practiceBundle({ variants: ["vulkan"] })), { host: NEW_CARD });
    expect(variants(answer)).toEqual(["vulkan"]);
    expect(answer.left).toEqual([
      { variant: "cuda-13", reason: "no bundle of this mirror carries it" },
      { variant: "cuda-12.8", reason: "no bundle of this mirror carries it" },
    ]);
  });

  it("is put together from several bundles, each build whole in one of them", async () => {
    const catalog = await catalogOf(
      practiceBundle({ name: "cpu", variants: ["cpu"] }),
      practiceBundle({ name: "gpu", variants: ["cuda"] }),
    );
    expect(plan(catalog).candidates[0]?.bundle.name).toBe("cpu");
    expect(plan(catalog, { host: NEW_CARD }).candidates.map(({ bundle }) => bundle.name)).toEqual([
      "gpu",
      "gpu",
    ]);
  });

  it("takes the last imported bundle of those that carry a build", async () => {
    const catalog = await catalogOf(practiceBundle({ counter: 2 }), practiceBundle({ counter: 1 }));
    expect(plan(catalog).candidates[0]?.bundle.counter).toBe(1);
  });

  it("is not a build whose volume has not been imported", async () => {
    const bundle = practiceBundle();
    const path = releaseAssetPath(REPO, "b11347", "cudart-llama-b11347-bin-ubuntu-cuda-13.4-x64.tar.gz");
    const answer = plan(await catalogOf([bundle, { without: [path] }]), { host: NEW_CARD });
    expect(variants(answer)).toEqual(["cuda-12.8", "vulkan"]);
    expect(answer.left[0]?.reason).toContain("another volume of that bundle has not been imported");
  });

  it("is not a build whose file another bundle has replaced", async () => {
    const asset = "llama-b11347-bin-ubuntu-x64.tar.gz";
    const other: TestBundle = {
      name: "other",
      releases: [{ repo: REPO, tag: "b11347", assets: { [asset]: "other" } }],
    };
    const answer = plan(await catalogOf(practiceBundle(), other));
    expect(answer.refusal?.message).toContain(`another bundle has taken the place of ${asset}`);
  });

  it("is not a build that the builder left out, and says why it did", async () => {
    const missing = {
      engine: "llamacpp",
      version: "b11347",
      arch: "amd64" as const,
      variant: "cuda-12.8",
      assets: ["x"],
      reason: "the release has no x",
    };
    const bundle = practiceBundle({ variants: ["cuda-13", "vulkan"], document: { missing: [missing] } });
    const answer = plan(await catalogOf(bundle), { host: NEW_CARD });
    expect(answer.left).toEqual([
      { variant: "cuda-12.8", reason: "bundle site-a-1 was built without it: the release has no x" },
    ]);
  });
});

describe("a refusal", () => {
  const cases: [string, Partial<InstallQuestion>, string, string][] = [
    ["an unknown engine", { engine: "ollama" }, "not-carried", "this mirror carries no engine named ollama"],
    [
      "a version that is not here",
      { version: "b11400" },
      "not-carried",
      "this mirror does not carry llama.cpp b11400",
    ],
    ["latest", { version: "latest" }, "not-carried", "a mirror does not know which llama.cpp is the latest"],
    ["no version at all", { version: "11347" }, "not-carried", "is not a version of llama.cpp"],
    ["a pointer release", { version: "v0.5.0" }, "not-carried", "nightly-tag.txt"],
    [
      "a variant that is not here",
      { variant: "cuda-11", host: NEW_CARD },
      "not-carried",
      "carries no build cuda-11",
    ],
    [
      "a variant for other machines",
      { variant: "vulkan" },
      "does-not-fit",
      'no build "vulkan" for this machine',
    ],
    [
      "a driver that is too old",
      { variant: "cuda-13.4", host: { ...NEW_CARD, nvidiaDriver: "470.82" } },
      "does-not-fit",
      "needs NVIDIA driver 580 or newer; this machine has 470.82",
    ],
    ["an architecture without builds", { host: { ...BARE, arch: "riscv64" } }, "does-not-fit", "riscv64"],
    ["an engine for NVIDIA", { engine: "vllm", version: "0.30.0" }, "not-here", "has no NVIDIA driver"],
    [
      "a Python engine",
      { engine: "vllm", version: "0.30.0", host: NEW_CARD },
      "not-carried",
      "this mirror does not carry vLLM 0.30.0",
    ],
  ];
  it.each(cases)("for %s says so", async (_name, changes, kind, words) => {
    const recipes = [
      { engine: "llamacpp", recipe: llamaRecipe },
      { engine: "vllm", recipe: table.recipe("vllm") },
    ];
    const { refusal } = plan(await catalogOf(practiceBundle({ document: { recipes } })), changes);
    expect(refusal?.kind).toBe(kind);
    expect(refusal?.message).toContain(words);
    expect(refusal?.exitCode).toBe({ "not-carried": 3, "does-not-fit": 8, "not-here": 9 }[kind]);
  });

  it("says what is carried, and which lines of a spec would carry what is not", async () => {
    const catalog = await catalogOf(practiceBundle({ variants: ["cpu", "cuda-13"] }));
    const { refusal } = plan(catalog, { version: "b11400", host: NEW_CARD });
    expect(refusal?.carried).toEqual(["llamacpp b11347 (amd64: cpu, cuda-13.4)"]);
    expect(refusal?.spec).toBe(
      [
        "engines:",
        "  - engine: llamacpp",
        "    versions:",
        "      - b11400",
        "    arch:",
        "      - amd64",
        "    variants:",
        "      - cuda-13",
        "      - cuda-12.8",
        "      - vulkan",
      ].join("\n"),
    );
    expect(planText(plan(catalog, { version: "b11400", host: NEW_CARD }))).toContain(
      "\nspec   - engine: llamacpp\n",
    );
  });

  it("of a mirror that holds nothing says that", async () => {
    const answer = plan(await catalogOf());
    expect(answer.refusal).toMatchObject({ kind: "not-carried", carried: [] });
  });

  it("keeps the list of what is carried short", async () => {
    const tags = Array.from({ length: 25 }, (_, at) => `b${11300 + at}`);
    const { refusal } = plan(await catalogOf(practiceBundle({ tags, variants: ["cpu"] })), { version: "b1" });
    expect(refusal?.carried.length).toBe(21);
    expect(refusal?.carried[0]).toBe("5 older ones");
  });
});

describe("what a recipe cannot smuggle into a shell", () => {
  const plain = (changes: object, build: object = {}): PracticeOptions => {
    const recipe = Recipe.parse({
      ...plainRecipe(),
      arch: { amd64: "x64" },
      builds: [{ variant: "cpu", binary: "plain", assets: ["plain-{version}.tar.gz"], ...build }],
      ...changes,
    });
    const assets = ["plain-1.0.tar.gz"];
    const path = releaseAssetPath("owner/plain", "1.0", "plain-1.0.tar.gz");
    return {
      document: {
        recipes: [{ engine: "plain", recipe }],
        builds: [
          {
            engine: "plain",
            version: "1.0",
            arch: "amd64",
            variant: "cpu",
            build: { variant: "cpu", binary: "plain", ...build, assets },
            needs: { nvidia: false },
            files: [path],
          },
        ],
      },
    };
  };
  const catalogWith = ({ document }: PracticeOptions): Promise<InstallCatalog> =>
    catalogOf({
      name: "plain",
      releases: [{ repo: "owner/plain", tag: "1.0", assets: { "plain-1.0.tar.gz": "x" } }],
      ...(document === undefined ? {} : { document }),
    });

  it("offers the plain build", async () => {
    const answer = plan(await catalogWith(plain({})), { engine: "plain", version: "1.0" });
    expect(variants(answer)).toEqual(["cpu"]);
  });

  it.each([
    ["an argument", { versionArgs: ["-c", "import os; os.system('id')"] }],
    ["a program's name", { binary: "bin/$(id)" }],
    ["a program elsewhere", { binary: "../../bin/sh" }],
    ["a package", { packages: { deb: ["a; reboot"], rpm: ["a"] } }],
    ["a processor feature", { cpuFlags: [".*"] }],
    ["a library", { gpuBackend: "`id`.so" }],
  ])("leaves out a build with %s that is more than a word", async (_name, build) => {
    const answer = plan(await catalogWith(plain({}, build)), { engine: "plain", version: "1.0" });
    expect(answer.refusal?.message).toContain("what a shell script must not be given");
  });

  it("makes one harmless line of any text for people", async () => {
    const label = "Pl\u00e4in\n\u001b[31mrefused 0\nend";
    const answer = plan(await catalogWith(plain({ label })), { engine: "plain", version: "1.0" });
    expect(planText(answer)).toContain("\nlabel Pl?in ?[31mrefused 0 end\n");
  });

  it("is no archive kind that tar cannot unpack", async () => {
    const options = plain({}, { assets: ["plain-{version}.zip"] });
    const path = releaseAssetPath("owner/plain", "1.0", "plain-1.0.zip");
    const [carried] = options.document?.builds ?? [];
    const builds =
      carried === undefined
        ? []
        : [{ ...carried, build: { ...carried.build, assets: ["plain-1.0.zip"] }, files: [path] }];
    const catalog = await catalogOf({
      name: "plain",
      releases: [{ repo: "owner/plain", tag: "1.0", assets: { "plain-1.0.zip": "x" } }],
      document: { ...options.document, builds },
    });
    expect(plan(catalog, { engine: "plain", version: "1.0" }).refusal?.message).toContain(
      "is no archive that tar can unpack",
    );
  });
});

describe("a question", () => {
  it("takes the key that the node trusts", () => {
    expect(parseQuestion("llamacpp", "b11347", "arch=amd64&glibc=2.36&key=0123456789abcdef")).toEqual(
      ask({ key: "0123456789abcdef" }),
    );
    expect(parseQuestion("llamacpp", "b11347", "arch=amd64&key=../x")).toContain("key: must be a key's id");
  });

  it("is read from path and query", () => {
    expect(
      parseQuestion("llamacpp", "b11347", "arch=amd64&driver=580.65.06&cc=8.9&glibc=2.36&variant=cuda-13"),
    ).toEqual(ask({ variant: "cuda-13", host: NEW_CARD }));
    expect(parseQuestion("llamacpp", "b11347", "arch=amd64&driver=&cc=&glibc=&variant=")).toEqual(
      ask({ host: { ...BARE, glibc: "" } }),
    );
  });

  it.each([
    ["", "arch: must be given once"],
    ["arch=amd64&arch=arm64", "arch: stands there twice"],
    ["arch=amd64&gpu=1", "gpu: unknown parameter; there are arch, driver, cc, glibc, variant, key"],
    ["arch=amd64&driver=five", "driver: must be an NVIDIA driver version"],
    ["arch=amd64&cc=-1", "cc: must be a compute capability"],
    ["arch=amd64&variant=$(id)", "variant: "],
    ["arch=a/b", "arch: must be a machine's architecture"],
  ])("%j is refused: %s", (query, words) => {
    expect(parseQuestion("llamacpp", "b11347", query)).toContain(words);
  });

  it("with a strange engine or version is refused", () => {
    expect(parseQuestion("../x", "1", "arch=amd64")).toContain("engine: ");
    expect(parseQuestion("x", "1 2", "arch=amd64")).toContain("version: ");
  });

  it("of any kind is answered with a sound plan, or with words", async () => {
    const catalog = await catalogOf(practiceBundle());
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom("llamacpp", "b11347", "amd64", "580.65.06", "8.9", "cuda-13", ""),
    );
    fc.assert(
      fc.property(
        fc.tuple(word, word, word, word, word, word),
        ([engine, version, arch, driver, cc, variant]) => {
          const query = new URLSearchParams({ arch, driver, cc, variant }).toString();
          const question = parseQuestion(engine, version, query);
          if (typeof question === "string") expect(question).toMatch(/^[a-z-]+.*: /);
          else plan(catalog, question);
        },
      ),
    );
  });
});
