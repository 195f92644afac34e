import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { createAskedRing } from "../../server/asked-ring.ts";
import { askedModel } from "../../server/views/asked-model.ts";
import { needsInWords } from "../../server/views/build-needs.ts";
import { bundlesModel } from "../../server/views/bundles-model.ts";
import { enginesModel } from "../../server/views/engines-model.ts";
import { gapsModel } from "../../server/views/gaps-model.ts";
import { nextSpec } from "../../server/views/next-spec.ts";
import { noticesOf } from "../../server/views/notices.ts";
import { releaseModel } from "../../server/views/release-model.ts";
import { reposModel } from "../../server/views/repos-model.ts";
import { toolsModel } from "../../server/views/tools-model.ts";
import type { CarriedBuild, CarriedFile, MissingBuild } from "../../src/bundle/document.ts";
import { parseSpec } from "../../src/bundle/spec.ts";
import {
  askedLately,
  catalogOf,
  catalogWithAsset,
  fullCatalog,
  loadedBundle,
  SITE_KEY,
} from "../support/page-mirror.ts";
import { builtinTable } from "../support/recipes.ts";

const BASE = "http://mirror.example:8080";
const SITE = { base: BASE, guarded: false };
const full = fullCatalog();
const table = await builtinTable();

function carried(changes: Partial<CarriedBuild>): CarriedBuild {
  return {
    engine: "llamacpp",
    version: "b11347",
    arch: "amd64",
    variant: "cpu",
    build: { variant: "cpu", binary: "llama-server" },
    needs: { nvidia: false },
    files: [],
    ...changes,
  };
}

describe("what a build needs, in words", () => {
  const llamacpp = table.recipe("llamacpp");
  const wheel = (name: string): CarriedBuild =>
    carried({
      arch: name.includes("aarch64") ? "arm64" : "amd64",
      files: [`vllm-project/vllm/releases/download/v1/${name}`],
    });

  it.each<[CarriedBuild["needs"], string | undefined, string | undefined]>([
    [{ nvidia: false }, undefined, undefined],
    [{ nvidia: true }, "any NVIDIA driver", undefined],
    [{ nvidia: true, driver: "580", cc: { min: 7.5 } }, "580 or newer", "7.5 or newer"],
    [{ nvidia: true, driver: "525", cc: { min: 8, max: 9 } }, "525 or newer", "8.0 to 9.0"],
    [{ nvidia: true, cc: { max: 8.6 } }, "any NVIDIA driver", "up to 8.6"],
  ])("%j", (needs, driver, compute) => {
    const words = needsInWords(carried({ needs, variant: "other" }), llamacpp);
    expect(words).toMatchObject({ driver, compute });
  });

  it("names the cards that an older driver will do for, as the recipe has it", () => {
    const build = carried({ variant: "cuda-12.8", needs: { nvidia: true, driver: "570", cc: { min: 5 } } });
    expect(needsInWords(build, llamacpp).driver).toBe(
      "570 or newer; 525 on compute capability 8.6, 8.9, 12.0",
    );
    expect(needsInWords(build, undefined).driver).toBe("570 or newer");
    const family = carried({ variant: "cuda-13.4", needs: { nvidia: true, driver: "580" } });
    expect(needsInWords(family, llamacpp).driver).toBe("580 or newer");
  });

  it("takes the lowest card of an engine from its recipe where the build itself names none", () => {
    const build = carried({
      engine: "vllm",
      version: "0.30.0",
      variant: "cu129",
      needs: { nvidia: true, driver: "525" },
    });
    expect(needsInWords(build, table.recipe("vllm")).compute).toBe("7.5 or newer");
    expect(needsInWords({ ...build, arch: "arm64" }, table.recipe("vllm")).compute).toBe("8.0 or newer");
  });

  it.each([
    ["vllm-0.30.0+cu129-cp38-abi3-manylinux_2_28_x86_64.whl", "2.28 or newer"],
    ["vllm-0.11.0-cp38-abi3-manylinux1_x86_64.whl", "2.5 or newer"],
    ["vllm-0.11.0-cp38-abi3-manylinux2014_aarch64.whl", "2.17 or newer"],
    ["a-1-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl", "2.17 or newer"],
    ["a-1-py3-none-any.whl", undefined],
    ["a-1-cp312-cp312-musllinux_1_2_x86_64.whl", undefined],
    ["llama-b11347-bin-ubuntu-x64.tar.gz", undefined],
  ])("reads the glibc that %s states", (name, glibc) => {
    expect(needsInWords(wheel(name), undefined).glibc).toBe(glibc);
  });

  it("names processor features and packages of both kinds of system", () => {
    const build = carried({
      build: {
        variant: "cpu",
        binary: "llama-server",
        cpuFlags: ["avx2"],
        packages: { deb: ["libgomp1"], rpm: ["libgomp"] },
        python: "3.12",
      },
    });
    expect(needsInWords(build, undefined).also).toEqual([
      "processor with avx2",
      "libgomp1 (rpm: libgomp)",
      "Python 3.12",
    ]);
  });
});

describe("the matrix of engines", () => {
  const engines = enginesModel(full, SITE);
  const llamacpp = engines.find(({ id }) => id === "llamacpp");

  it("puts engines before tools, and the newest version first by the recipe's order", () => {
    expect(engines.map(({ id, tool }) => [id, tool])).toEqual([
      ["llamacpp", false],
      ["vllm", false],
      ["uv", true],
    ]);
    expect(llamacpp?.versions.map(({ version }) => version)).toEqual(["b11347", "b11056"]);
    const many = catalogOf([
      loadedBundle({
        name: "many",
        counter: 1,
        builds: ["b999", "b11347", "b2000"].map((version) => carried({ version })),
      }),
    ]);
    expect(enginesModel(many, SITE)[0]?.versions.map(({ version }) => version)).toEqual([
      "b11347",
      "b2000",
      "b999",
    ]);
  });

  it("shows the newest of very many versions, and says how many there are", () => {
    const builds = Array.from({ length: 300 }, (_, at) => carried({ version: `b${at + 1}` }));
    const [engine] = enginesModel(catalogOf([loadedBundle({ name: "years", counter: 1, builds })]), SITE);
    expect(engine?.count).toBe(300);
    expect(engine?.versions).toHaveLength(24);
    expect(engine?.versions[0]?.version).toBe("b300");
  });

  it("has what a node downloads in its cells, and says what is a gap and what is not there", () => {
    const [newest, older] = llamacpp?.versions ?? [];
    const cells = Object.fromEntries(
      (newest?.variants ?? []).map(({ variant, cells: found }) => [variant, found]),
    );
    expect(cells).toEqual({
      cpu: { amd64: { state: "here", bytes: 17_551_840 }, arm64: { state: "here", bytes: 13_591_763 } },
      "cuda-13.4": {
        amd64: { state: "here", bytes: 152_148_869 + 440_236_539 },
        arm64: { state: "here", bytes: 147_414_544 + 552_522_171 },
      },
      "cuda-12.8": { amd64: { state: "here", bytes: 171_244_141 + 594_377_795 }, arm64: { state: "none" } },
      vulkan: { amd64: { state: "here", bytes: 31_497_153 }, arm64: { state: "here", bytes: 24_751_177 } },
    });
    expect(older?.variants.find(({ variant }) => variant === "vulkan")?.cells).toEqual({
      amd64: { state: "none" },
      arm64: { state: "gap" },
    });
  });

  it("says needs once where the architectures agree, and apart where not", () => {
    const cuda = llamacpp?.versions[0]?.variants.find(({ variant }) => variant === "cuda-13.4");
    expect(cuda?.needs).toEqual({
      driver: "580 or newer",
      compute: "7.5 or newer",
      glibc: undefined,
      also: ["processor with avx2 (amd64)", "libgomp1 (rpm: libgomp)"],
    });
    const vllm = engines.find(({ id }) => id === "vllm")?.versions[0]?.variants[0];
    expect(vllm?.needs.compute).toBe("amd64: 7.5 or newer; arm64: 8.0 or newer");
    expect(vllm?.needs.glibc).toBe("2.28 or newer");
  });

  it("gives a command where a node could install it, with the mirror's address, and else says why not", () => {
    const install = (id: string): unknown => {
      const [version] = engines.find((engine) => engine.id === id)?.versions ?? [];
      return version?.install ?? version?.why;
    };
    expect(install("llamacpp")).toBe(`curl -fsSL ${BASE}/install.sh | sh -s -- llamacpp b11347`);
    expect(install("vllm")).toBe("it needs Python packages, and its bundle carries no environment for it");
    const [guarded] = enginesModel(full, { base: BASE, guarded: true });
    expect(guarded?.versions[0]?.install).toBe(
      `curl -fsSL --oauth2-bearer "$FERRY_TOKEN" ${BASE}/install.sh | sh -s -- llamacpp b11347`,
    );
    const waiting = catalogOf([loadedBundle({ name: "half", counter: 1, ...onlyLlama() })], (path) =>
      path.includes("llama.cpp"),
    );
    const [version] = enginesModel(waiting, SITE)[0]?.versions ?? [];
    expect(version?.variants[0]?.cells.amd64).toEqual({ state: "waiting" });
    expect(version).toMatchObject({
      install: undefined,
      why: expect.stringContaining("has not been imported") as string,
    });
  });

  it.each(["b1; reboot", "$(id)", "-x", "b1\nreboot"])(
    "never makes a command of the version %j",
    (version) => {
      const hostile = catalogOf([loadedBundle({ name: "x", counter: 1, builds: [carried({ version })] })]);
      expect(enginesModel(hostile, SITE)[0]?.versions[0]?.install).toBeUndefined();
    },
  );

  it("marks what comes from a bundle that nobody signed, until a signed one brings it", () => {
    const unsigned = engines.flatMap(({ id, versions }) =>
      versions.filter((one) => one.unsigned).map(() => id),
    );
    expect(unsigned).toEqual(["vllm"]);
    const builds = [carried({})];
    const first = loadedBundle(
      { name: "a", counter: 1, builds },
      { signedBy: [], importedAt: "2026-01-01T00:00:00Z" },
    );
    const second = loadedBundle(
      { name: "b", counter: 1, builds },
      { signedBy: ["0123456789abcdef"], importedAt: "2026-01-02T00:00:00Z" },
    );
    expect(enginesModel(catalogOf([first]), SITE)[0]?.versions[0]?.unsigned).toBe(true);
    expect(enginesModel(catalogOf([first, second]), SITE)[0]?.versions[0]?.unsigned).toBe(false);
  });
});

function onlyLlama(): { builds: CarriedBuild[]; files: CarriedFile[] } {
  const build = full.builds.find(({ version, variant }) => version === "b11347" && variant === "cpu");
  if (build === undefined) throw new Error("the full mirror has no llama.cpp");
  const files = full.bundles.flatMap(({ document }) =>
    document.files.filter(({ path }) => build.files.includes(path)),
  );
  return { builds: [build], files };
}

describe("bundles", () => {
  it("come last imported first, with who signed them and what is still to come", () => {
    const bundles = bundlesModel(full, BASE);
    expect(bundles.map(({ title, signing, absent }) => [title, signing.state, absent])).toEqual([
      ["gpu-lab 1", "unsigned", 0],
      ["site-a 4", "signed", 1],
      ["site-a 3", "signed", 0],
    ]);
    expect(bundles[1]).toMatchObject({
      link: `${BASE}/v1/bundles/site-a-4`,
      created: "2026-10-10T05:55:00Z",
      imported: "2026-10-13T09:02:47Z",
      carries: ["llamacpp b11347", "uv 0.12.23"],
      signing: { keys: [{ id: SITE_KEY.slice(7, 23), fingerprint: SITE_KEY }] },
    });
  });

  it("that are unsigned, unchecked or incomplete, or a store that cannot be read, are said first", () => {
    const unchecked = catalogOf([loadedBundle({ name: "built-here", counter: 1 })]);
    const problem = {
      message: "index.json is no JSON",
      hint: "Import again.",
      since: Date.parse("2026-10-15T00:00:00Z"),
    };
    expect(noticesOf(bundlesModel(unchecked, BASE), problem)).toEqual([
      {
        level: "danger",
        title: "The store cannot be read",
        words: expect.stringContaining("2026-10-15T00:00") as string,
      },
      {
        level: "warning",
        title: "Signature not checked",
        words: expect.stringContaining("built-here 1") as string,
      },
    ]);
    expect(noticesOf(bundlesModel(full, BASE), undefined).map(({ level, title }) => [level, title])).toEqual([
      ["danger", "Unsigned bundle"],
      ["warning", "Incomplete bundle"],
    ]);
  });

  it("record gaps, which another bundle may have filled since", () => {
    expect(gapsModel(full)).toMatchObject([
      { version: "b11056", variant: "vulkan", arch: "arm64", filledBy: undefined },
    ]);
    const gap: MissingBuild = {
      engine: "llamacpp",
      version: "b11347",
      arch: "amd64",
      variant: "cpu",
      assets: [],
      reason: "late",
    } as const;
    const filled = catalogOf([
      loadedBundle({ name: "a", counter: 1, missing: [gap] }),
      loadedBundle({ name: "b", counter: 1, ...onlyLlama() }),
    ]);
    expect(gapsModel(filled)).toMatchObject([{ bundle: "a", filledBy: "b" }]);
  });
});

describe("releases", () => {
  it("are listed by repository, the newest of each", () => {
    const [first] = reposModel(full, BASE, 1).filter(({ repo }) => repo === "ggml-org/llama.cpp");
    expect(first).toMatchObject({ count: 2, page: `${BASE}/ggml-org/llama.cpp/releases` });
    expect(first?.releases).toMatchObject([
      { tag: "b11347", prerelease: true, assets: 10, page: `${BASE}/ggml-org/llama.cpp/releases/tag/b11347` },
    ]);
  });

  it("show every file with its digest, where that is known from, and which bundle brought it", () => {
    const repo = full.repo("GGML-org/llama.cpp");
    const release = repo?.byTag.get("b11347");
    if (repo === undefined || release === undefined) throw new Error("no such release");
    const model = releaseModel(release, repo, full, SITE);
    expect(model.assets).toHaveLength(10);
    expect(model.assets.at(-1)).toEqual({
      name: "llama-b11347-bin-ubuntu-x64.tar.gz",
      url: `${BASE}/ggml-org/llama.cpp/releases/download/b11347/llama-b11347-bin-ubuntu-x64.tar.gz`,
      size: 17_551_840,
      sha256: "a21ad95ccd452fc22b29c6badf126a9186612dccc00260373dea68d3932eb97d",
      updated: release.publishedAt,
      trust: "github",
      bundle: "site-a 4",
      unsigned: false,
    });
    expect(model.installs).toEqual([
      { what: "llama.cpp b11347", command: `curl -fsSL ${BASE}/install.sh | sh -s -- llamacpp b11347` },
    ]);
    expect(model).toMatchObject({ waiting: [], gaps: [], source: undefined });
  });

  it("name what a bundle lists and no volume has brought yet", () => {
    const repo = full.repo("astral-sh/python-build-standalone");
    const release = repo?.byTag.get("20261003");
    if (repo === undefined || release === undefined) throw new Error("no such release");
    const { waiting, assets } = releaseModel(release, repo, full, SITE);
    expect(waiting).toMatchObject([{ bundle: "site-a 4" }]);
    expect(assets.map(({ name }) => name)).not.toContain(waiting[0]?.name);
  });
});

describe("settings for tools", () => {
  const commands = (catalog = full, base = BASE): string[] =>
    toolsModel(catalog, base).flatMap((tool) => tool.commands.map(({ text }) => text));

  it("hold this mirror's address, and only what it serves", () => {
    expect(commands()).toEqual([
      BASE,
      `${BASE}/api/v3`,
      expect.stringMatching(/^curl -fL -C - -o (\S+) http:\/\/mirror\.example:8080\/\S+\/\1$/),
      expect.stringMatching(/^wget -c http:\/\/mirror\.example:8080\//),
      expect.stringMatching(/^aria2c -x8 http:\/\/mirror\.example:8080\//),
      expect.stringMatching(/^echo '[0-9a-f]{64} {2}\S+' \| sha256sum -c$/),
      `export UV_ASTRAL_MIRROR_URL=${BASE}`,
      `export UV_PYTHON_INSTALL_MIRROR=${BASE}/astral-sh/python-build-standalone/releases/download`,
      expect.stringMatching(/^pip install --no-deps http:\/\/mirror\.example:8080\/\S+%2Bcu129\S+\.whl$/),
    ]);
    const small = catalogOf([loadedBundle({ name: "small", counter: 1 })]);
    expect(commands(small)).toEqual([BASE, `${BASE}/api/v3`]);
  });

  it("give gh its host where it can reach one, and say what it takes where not", () => {
    const gh = (base: string): unknown => toolsModel(full, base).find(({ title }) => title.includes("gh"));
    expect(gh("https://mirror.example")).toMatchObject({
      commands: [{ text: expect.stringContaining("GH_HOST=mirror.example ") as string }],
    });
    for (const base of [BASE, "https://mirror.example:8443", "https://mirror.example/ferry"]) {
      expect(gh(base)).toMatchObject({ commands: [], words: expect.stringContaining("port 443") as string });
    }
  });

  it("quote what a shell would take apart", () => {
    const name = "a'; reboot #.tar.gz";
    const [curl, , , check] = commands(catalogWithAsset(name)).slice(2);
    const seen = spawnSync("sh", ["-c", `curl() { printf '%s\\n' "$@"; }; ${curl ?? ""}`], {
      encoding: "utf8",
    });
    expect(seen.stdout.trimEnd().split("\n")).toEqual([
      "-fL",
      "-C",
      "-",
      "-o",
      name,
      `${BASE}/ggml-org/llama.cpp/releases/download/b11347/a'%3B%20reboot%20%23.tar.gz`,
    ]);
    const line = spawnSync("sh", ["-c", (check ?? "").replace("| sha256sum -c", "")], { encoding: "utf8" });
    expect(line.stdout.trimEnd().split("  ").at(-1)).toBe(name);
  });
});

describe("what was asked for in vain", () => {
  it("comes with lines for the next spec, which is a spec", () => {
    const { rows, spec } = askedModel(askedLately().recent(), full);
    expect(rows[0]).toEqual({
      path: "/ggml-org/llama.cpp/releases/download/b11347/llama-b11347-bin-win-cpu-x64.zip",
      what: "file of a release",
      times: 2,
      last: "2026-10-15T07:03:00.000Z",
    });
    expect(parseSpec(`name: next\n${spec ?? ""}`, "spec.yaml")).toMatchObject({
      engines: [{ engine: "llamacpp", versions: ["b11459"] }],
      assets: [
        { repo: "ggml-org/llama.cpp", tag: "b11347", include: ["llama-b11347-bin-win-cpu-x64.zip"] },
        { repo: "astral-sh/ruff", tag: "0.16.1", include: ["*"] },
      ],
    });
  });

  it.each([
    ["v1/install/llamacpp/b20000", "engines:\n  - engine: llamacpp\n    versions:\n      - b20000"],
    [
      "github/python-build-standalone/releases/download/20261101/cpython.tar.gz",
      'assets:\n  - repo: astral-sh/python-build-standalone\n    tag: "20261101"\n    include:\n      - cpython.tar.gz',
    ],
    [
      "ggerganov/llama.cpp/releases/tag/b20000",
      "engines:\n  - engine: llamacpp\n    versions:\n      - b20000",
    ],
    ["simple/torch", undefined],
    ["v1/install/unheard-of/1.0", undefined],
  ])("%s", (path, spec) => {
    const asked = createAskedRing();
    asked.record(path, "release-asset", 0);
    expect(nextSpec(asked.recent(), full)).toBe(spec);
  });
});
