import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import type { BundleDocument } from "../../../src/bundle/document.ts";
import { parsePylock } from "../../../src/wire/pylock.ts";
import { tarGzOf } from "../../support/archives/tar-gz.ts";
import { readFolderBundle } from "../../support/folder-bundle.ts";
import {
  type PythonBuilderOptions,
  type PythonBuilderSite,
  pythonBuilderSite,
} from "../../support/python-builder-site.ts";
import { makeSdist, makeWheel, type WheelWords } from "../../support/python-index/wheel.ts";
import { REAL_UV_TIMEOUT, realUv } from "../../support/real-uv.ts";
import { bytesContent } from "../../support/upstream/content.ts";

beforeAll(() => realUv(), REAL_UV_TIMEOUT);

const SPEC = "name: tools\nengines:\n  - { engine: toolbox, versions: ['1.0'], arch: [amd64] }\n";

/** As vLLM's build for CUDA 12.9: the engine's wheel from its release, torch from the second index. */
const GPU = `label: Gpu
github: o/gpu
pypi: gpu
versions: { pattern: '^[0-9.]+$', ordering: pep440, example: "1.0", tag: "v{version}" }
arch: { amd64: x86_64, arm64: aarch64 }
notCarried: [kernels that it compiles at first use]
builds:
  - variant: cu129
    binary: gpu
    python: "3.12"
    wheel: { project: gpu, prefix: "gpu-{number}+cu129-", suffix: "_{arch}.whl" }
    extraIndex: https://download.pytorch.org/whl/cu129
    indexPackages: [torch]
`;
const GPU_SPEC = "name: gpu\nengines:\n  - { engine: gpu, versions: ['1.0'], arch: [amd64] }\n";

interface GpuOptions {
  torch?: Partial<WheelWords>;
  listing?: Parameters<PythonBuilderSite["index"]["addExtra"]>[2];
}

async function gpuSite({ torch = {}, listing = {} }: GpuOptions = {}): Promise<PythonBuilderSite> {
  const engine = makeWheel({
    name: "gpu",
    version: "1.0+cu129",
    tag: "cp38-abi3-manylinux_2_28_x86_64",
    requires: ["torch==2.10.0"],
  });
  const made = await pythonBuilderSite({
    recipes: { gpu: GPU },
    releases: [
      {
        repo: "o/gpu",
        tag: "v1.0",
        publishedAt: "2026-04-18T05:49:00Z",
        assets: [{ name: engine.filename, content: bytesContent(engine.bytes) }],
      },
    ],
  });
  const { index } = made;
  // The engine is published on the default index too, built for another CUDA.
  index.add(makeWheel({ name: "gpu", version: "1.0" }), { uploadedAt: "2026-04-18T05:49:00Z" });
  index.add(makeWheel({ name: "torch", version: "2.10.0" }), { uploadedAt: "2026-01-21T00:00:00Z" });
  const words = { name: "torch", version: "2.10.0+cu129", tag: "cp312-cp312-manylinux_2_28_x86_64" };
  index.addExtra("cu129", makeWheel({ ...words, ...torch }), { absolute: true, ...listing });
  return made;
}

async function built(made: PythonBuilderSite, spec: string): Promise<BundleDocument> {
  const run = await made.ferry("build", await made.spec(spec), "-o", "b/");
  expect(run.code, run.stderr).toBe(0);
  return (await readFolderBundle(made.at("b"))).document;
}

async function toolboxSite(
  options: PythonBuilderOptions = {},
  wheel: Partial<WheelWords> = {},
): Promise<PythonBuilderSite> {
  const made = await pythonBuilderSite(options);
  made.index.add(makeWheel({ name: "toolbox", version: "1.0", ...wheel }), {
    uploadedAt: "2026-02-01T10:00:00Z",
  });
  return made;
}

describe("Python engines: what real users met", () => {
  it("P2 torch's index dates a file after the engine: it is carried, with the date of the same public version", async () => {
    const made = await gpuSite({ listing: { uploadedAt: "2026-04-27T19:00:28Z" } });
    const { python, builds } = await built(made, GPU_SPEC);
    const torch = python?.wheels.find(({ project }) => project === "torch");
    expect(torch).toMatchObject({
      path: "whl/cu129/torch-2.10.0+cu129-cp312-cp312-manylinux_2_28_x86_64.whl",
      index: { kind: "extra", name: "cu129" },
      uploadedAt: "2026-01-21T00:00:00Z",
      claimedUploadedAt: "2026-04-27T19:00:28Z",
    });
    expect(python?.closure).toBe("proven");
    expect(builds[0]?.python?.requirements).toEqual([
      "gpu @ /o/gpu/releases/download/v1.0/gpu-1.0+cu129-cp38-abi3-manylinux_2_28_x86_64.whl",
      "torch",
    ]);
  });

  it("P6 a hash is missing upstream: it is computed from the bytes, and said so", async () => {
    const made = await gpuSite({ listing: { hash: "none" } });
    const document = await built(made, GPU_SPEC);
    const torch = document.files.find(({ path }) => path.startsWith("whl/cu129/") && path.endsWith(".whl"));
    expect(torch?.trust).toBe("computed");
    const inspected = await made.ferry("inspect", "b/");
    expect(inspected.stdout).toContain("1 computed by the builder, NOT published by anybody");
    // uv's cache now has a digest of its own making: it is not taken for a published one.
    const again = await made.ferry("build", "spec.yaml", "-o", "c/");
    expect(again.code, again.stderr).toBe(0);
    expect((await made.ferry("inspect", "c/")).stdout).toContain("1 computed by the builder");
  });

  it("P6 bytes that nobody published a digest of are those that the lock was made with, or refused", async () => {
    const made = await gpuSite({ listing: { hash: "none" } });
    const planned = await made.ferry("plan", await made.spec(GPU_SPEC), "--write-lock", "lock.json");
    expect([planned.code, planned.stderr]).toEqual([
      0,
      expect.stringContaining("no index publishes a digest of torch-"),
    ]);
    const name = "torch-2.10.0+cu129-cp312-cp312-manylinux_2_28_x86_64.whl";
    made.index.remove(name);
    const words = { name: "torch", version: "2.10.0+cu129", tag: "cp312-cp312-manylinux_2_28_x86_64" };
    made.index.addExtra("cu129", makeWheel({ ...words, requires: ["gpu"] }), {
      absolute: true,
      hash: "none",
    });
    const run = await made.ferry("build", "spec.yaml", "-o", "b.tar", "--locked", "lock.json");
    expect([run.code, run.stderr]).toEqual([
      5,
      expect.stringMatching(/LOCK_MISMATCH|ASSET_REPLACED|MISMATCH/),
    ]);
  });

  it("P6 a hash is wrong upstream: an error with both digests", async () => {
    const made = await toolboxSite();
    made.index.remove("toolbox-1.0-py3-none-any.whl");
    made.index.add(makeWheel({ name: "toolbox", version: "1.0" }), {
      uploadedAt: "2026-02-01T10:00:00Z",
      hash: "wrong",
    });
    const run = await made.ferry("build", await made.spec(SPEC), "-o", "b.tar");
    expect(run.code).toBe(5);
    expect(run.stderr).toContain("DIGEST_MISMATCH");
    expect(run.stderr).toContain(`sha256:${"0".repeat(64)}`);
  });

  it("P8 the metadata is the wheel's, byte for byte; a wheel that says it is another is refused", async () => {
    const made = await toolboxSite();
    const wheel = makeWheel({ name: "toolbox", version: "1.0" });
    const document = await built(made, SPEC);
    const [carried] = document.python?.wheels ?? [];
    const bytes = await readFile(made.at(`b/blobs/sha256/${carried?.metadata.slice(7) ?? ""}`));
    expect(bytes.equals(wheel.metadata ?? Buffer.alloc(0))).toBe(true);
  });

  it("P10 a package without a wheel is refused by name", async () => {
    const made = await toolboxSite({}, { requires: ["only-source"] });
    made.index.add(makeSdist({ name: "only-source", version: "3.1" }));
    const run = await made.ferry("plan", await made.spec(SPEC));
    expect(run.code).toBe(3);
    expect(run.stdout).toContain("MISSING: 1 build");
    expect(run.stdout).toContain("only-source");
  });

  it("P13 an engine for CUDA 12 with a torch for CUDA 13 is refused", async () => {
    const made = await gpuSite({ torch: { requires: ["nvidia-cudnn-cu13"] } });
    made.index.add(makeWheel({ name: "nvidia-cudnn-cu13", version: "9.1" }));
    const run = await made.ferry("plan", await made.spec(GPU_SPEC));
    expect(run.code).toBe(5);
    expect(run.stderr).toContain("PYTHON_FAMILY");
    expect(run.stderr).toMatch(/CUDA 12: .*gpu 1\.0\+cu129.*; CUDA 13: nvidia-cudnn-cu13 9\.1/);
  });

  it("P14 a second build two days later does not move a lock's date", async () => {
    const made = await toolboxSite({}, { requires: ["dep"] });
    made.index.add(makeWheel({ name: "dep", version: "1.0" }));
    made.index.add(makeWheel({ name: "dep", version: "2.0" }), { uploadedAt: "2026-02-03T12:00:00Z" });
    expect((await made.ferry("plan", await made.spec(SPEC), "--write-lock", "lock.json")).code).toBe(0);
    made.index.add(
      makeWheel({ name: "toolbox", version: "1.0", build: "2", tag: "cp312-none-any", requires: ["dep"] }),
      {
        uploadedAt: "2026-02-03T11:00:00Z",
      },
    );
    const run = await made.ferry("build", "spec.yaml", "-o", "b/", "--locked", "lock.json");
    expect(run.code, run.stderr).toBe(0);
    const { document } = await readFolderBundle(made.at("b"));
    expect(document.builds[0]?.python).toMatchObject({ published: "2026-02-01T10:00:00Z", packages: 2 });
    expect(document.python?.publications[0]).toMatchObject({
      project: "toolbox",
      published: "2026-02-01T10:00:00Z",
    });
    expect(document.files.some(({ path }) => path.includes("dep-1.0"))).toBe(true);
  });

  it("P15 the interpreter is the one that this uv asks for, and uv's own digest counts too", async () => {
    const made = await toolboxSite({ interpreterDigest: "1".repeat(64) });
    const run = await made.ferry("build", await made.spec(SPEC), "-o", "b.tar");
    expect(run.code).toBe(5);
    expect(run.stderr).toContain("PYTHON_INTERPRETER");
    expect(run.stderr).toContain(
      "cpython-3.12.99+20991231-x86_64-unknown-linux-gnu-install_only_stripped.tar.gz",
    );
  });

  it("P16 inherited settings of uv and pip do not reach what is resolved", async () => {
    const made = await toolboxSite();
    Object.assign(made.env, {
      UV_INDEX: "http://127.0.0.1:9/simple",
      UV_EXTRA_INDEX_URL: "http://127.0.0.1:9/simple",
      UV_TORCH_BACKEND: "cu128",
      UV_EXCLUDE_NEWER: "2001-01-01T00:00:00Z",
      PIP_INDEX_URL: "http://127.0.0.1:9/simple",
    });
    const run = await made.ferry("plan", await made.spec(SPEC));
    expect(run.code, run.stderr).toBe(0);
  });

  it("P17 a yanked release that is locked is carried with its reason", async () => {
    const made = await pythonBuilderSite();
    made.index.add(makeWheel({ name: "toolbox", version: "1.0" }), { yanked: "eats files" });
    const { python } = await built(made, SPEC);
    expect(python?.wheels[0]?.yanked).toBe("eats files");
  });

  it("P18 what is known not to be carried stands in the document", async () => {
    const made = await gpuSite();
    const { python } = await built(made, GPU_SPEC);
    expect(python?.notCarried).toEqual([{ engine: "gpu", what: "kernels that it compiles at first use" }]);
    expect((await made.ferry("inspect", "b/")).stdout).toContain("kernels that it compiles at first use");
  });
});

/** As ComfyUI: a source archive whose requirements are resolved. */
const APP = (sha256: string): string => `label: App
github: o/app
versions: { pattern: '^[0-9.]+$', ordering: pep440, example: "1.0", tag: "v{version}" }
arch: { amd64: x86_64, arm64: aarch64 }
releases:
  "1.0": { sha256: ${sha256}, published: 2026-02-01T10:00:00Z }
builds:
  - variant: cpu
    binary: python
    python: "3.12"
    source: { url: "/o/app/archive/refs/tags/{tag}.tar.gz", top: "app-{version}", dir: app, requirements: requirements.txt }
    versionArgs: ["-c", "print('app')"]
`;
const APP_SPEC = "name: app\nengines:\n  - { engine: app, versions: ['1.0'], arch: [amd64] }\n";

async function appSite(requirements: string): Promise<PythonBuilderSite> {
  const bytes = tarGzOf([
    { path: "app-1.0/main.py", content: "print('app')\n" },
    { path: "app-1.0/requirements.txt", content: requirements },
  ]);
  const { createHash } = await import("node:crypto");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return pythonBuilderSite({
    recipes: { app: APP(sha256) },
    sources: [{ repo: "o/app", tag: "v1.0", bytes }],
  });
}

describe("an engine from a source archive", () => {
  it("is resolved from its own requirements, and its archive is carried", async () => {
    const made = await appSite("# what it needs\nhelper>=1  # any\n\n");
    made.index.add(makeWheel({ name: "helper", version: "1.2" }));
    const document = await built(made, APP_SPEC);
    expect(document.builds[0]?.python).toMatchObject({
      source: "o/app/archive/refs/tags/v1.0.tar.gz",
      requirements: ["helper>=1"],
      published: "2026-02-01T10:00:00Z",
    });
    const { files } = await readFolderBundle(made.at("b"));
    const lock = files.get(document.builds[0]?.python?.lock ?? "")?.toString("utf8") ?? "";
    expect(parsePylock(lock).packages.map(({ name, version }) => `${name} ${version ?? ""}`)).toEqual([
      "helper 1.2",
    ]);
  });

  it.each([
    "-r other.txt",
    "--index-url https://example.org/simple",
    "git+https://example.org/x.git",
    "x @ https://example.org/x.whl",
  ])("P19 a requirements file with %s is refused, naming the line", async (line) => {
    const made = await appSite(`helper\n${line}\n`);
    made.index.add(makeWheel({ name: "helper", version: "1.2" }));
    const run = await made.ferry("plan", await made.spec(APP_SPEC));
    expect(run.code).toBe(3);
    expect(run.stderr).toContain("PYTHON_REQUIREMENTS");
    expect(run.stderr).toMatch(/requirements\.txt.*2/);
  });
});
