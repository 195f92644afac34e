import { beforeAll, describe, expect, it } from "vitest";
import { hexOf } from "../../../src/lib/digest.ts";
import { silentLogger } from "../../../src/log.ts";
import { createResolver } from "../../../src/upstream/python/resolver.ts";
import type { PythonRequest, PythonResolver, Resolution } from "../../../src/upstream/python/types.ts";
import { openUv } from "../../../src/upstream/python/uv-process.ts";
import { type PythonIndex, pythonIndex } from "../../support/python-index/python-index.ts";
import { pythonRequest } from "../../support/python-index/request.ts";
import { makeSdist, makeWheel } from "../../support/python-index/wheel.ts";
import { REAL_UV_TIMEOUT, realUv } from "../../support/real-uv.ts";
import { tmpDir } from "../../support/tmp.ts";

let path: string;
beforeAll(async () => {
  path = await realUv();
}, REAL_UV_TIMEOUT);

async function resolverFor(index: PythonIndex, env: Record<string, string> = {}): Promise<PythonResolver> {
  const operator = { ...process.env, UV_DEFAULT_INDEX: index.simple, ...env };
  const uv = await openUv({ path, env: operator, folder: await tmpDir() });
  return createResolver({ uv, logger: silentLogger, torchIndexUrl: `${index.whl}/` });
}

async function resolve(index: PythonIndex, request: PythonRequest): Promise<Resolution> {
  return (await resolverFor(index)).resolve(request);
}

const names = ({ packages }: Resolution): string[] => packages.map(({ name }) => name);

describe("an engine of the index", () => {
  it("is resolved as of its publication and a day, with what the pages say of each file", async () => {
    const index = await pythonIndex();
    index.add(makeWheel({ name: "small", version: "1.0", requires: ["Dep_A>=1"] }), {
      uploadedAt: "2026-03-01T10:00:00Z",
    });
    const sdist = makeSdist({ name: "small", version: "1.0" });
    index.add(sdist, { uploadedAt: "2026-03-01T10:00:07.250Z" });
    const dep = makeWheel({ name: "dep.a", version: "1.1" });
    const url = index.add(dep, { uploadedAt: "2026-03-02T10:00:00Z" });
    index.add(makeWheel({ name: "dep.a", version: "1.2" }), { uploadedAt: "2026-03-02T10:00:08Z" });

    const resolution = await resolve(index, pythonRequest());
    expect(resolution).toMatchObject({
      platform: "x86_64-manylinux_2_35",
      python: "3.12",
      // uv's lock has whole seconds.
      published: "2026-03-01T10:00:07Z",
      excludeNewer: "2026-03-02T10:00:07Z",
      requirements: ["small==1.0"],
      extraIndex: undefined,
    });
    expect(names(resolution)).toEqual(["dep-a", "small"]);
    expect(resolution.packages[0]).toEqual({
      name: "dep-a",
      version: "1.1",
      marker: undefined,
      yanked: undefined,
      files: [
        {
          filename: "dep_a-1.1-py3-none-any.whl",
          url,
          size: dep.bytes.length,
          digest: dep.digest,
          claimed: true,
          index: { kind: "default" },
          uploadedAt: "2026-03-02T10:00:00Z",
          claimedUploadedAt: "2026-03-02T10:00:00Z",
        },
      ],
    });
    // The source archive is known and not carried.
    expect(resolution.release?.files.map((file) => file.filename)).toContain("small-1.0.tar.gz");
    expect(resolution.packages[1]?.files.map((file) => file.filename)).toEqual([
      "small-1.0-py3-none-any.whl",
    ]);
    // No source archive was opened, so nothing of it could run.
    expect(index.requests.filter((request) => request.includes(sdist.filename))).toEqual([]);
  });

  it("P14 was published when its latest file was, a second build two days later included", async () => {
    const index = await pythonIndex();
    const tag = "cp38-abi3-manylinux_2_28_x86_64";
    index.add(makeWheel({ name: "small", version: "1.0", tag }), { uploadedAt: "2026-06-13T00:00:00Z" });
    index.add(makeWheel({ name: "small", version: "1.0", tag, build: "2" }), {
      uploadedAt: "2026-06-15T00:00:00Z",
    });
    const { published, release, packages } = await resolve(index, pythonRequest());
    expect(published).toBe("2026-06-15T00:00:00Z");
    expect(release?.files.map(({ filename, uploadedAt }) => [filename, uploadedAt])).toEqual([
      ["small-1.0-2-cp38-abi3-manylinux_2_28_x86_64.whl", "2026-06-15T00:00:00Z"],
      ["small-1.0-cp38-abi3-manylinux_2_28_x86_64.whl", "2026-06-13T00:00:00Z"],
    ]);
    expect(packages[0]?.files).toHaveLength(release?.files.length ?? 0);
  });

  it("P11 has what its target needs, and not what the builder would", async () => {
    const index = await pythonIndex();
    const requires = [
      'armonly; platform_machine == "aarch64"',
      'x86only; platform_machine == "x86_64"',
      'winonly; sys_platform == "win32"',
      "both",
    ];
    index.add(makeWheel({ name: "small", version: "1.0", requires }));
    for (const name of ["armonly", "x86only", "winonly"]) index.add(makeWheel({ name, version: "1.0" }));
    for (const machine of ["x86_64", "aarch64"]) {
      index.add(makeWheel({ name: "both", version: "1.0", tag: `cp312-cp312-manylinux_2_28_${machine}` }));
    }
    const arm = await resolve(index, pythonRequest({}, { arch: "arm64" }));
    expect(arm.platform).toBe("aarch64-manylinux_2_35");
    expect(names(arm)).toEqual(["armonly", "both", "small"]);
    expect(arm.packages[1]?.files.map((file) => file.filename)).toEqual([
      "both-1.0-cp312-cp312-manylinux_2_28_aarch64.whl",
    ]);
    expect(names(await resolve(index, pythonRequest()))).toEqual(["both", "small", "x86only"]);
  });

  it("P17 keeps the flag and the reason of a withdrawn release", async () => {
    const index = await pythonIndex();
    index.add(makeWheel({ name: "small", version: "1.0", requires: ["gone==1.0"] }), { yanked: true });
    index.add(makeWheel({ name: "gone", version: "1.0" }), { yanked: 'wrong "metadata"' });
    const request = pythonRequest({ requirements: ["small==1.0", "gone==1.0"] });
    const { packages } = await resolve(index, request);
    expect(packages.map(({ name, yanked }) => [name, yanked])).toEqual([
      ["gone", 'wrong "metadata"'],
      ["small", true],
    ]);
  });

  it("P10 is refused by the name of what has source alone", async () => {
    const index = await pythonIndex();
    index.add(makeWheel({ name: "small", version: "1.0", requires: ["Src_Only>=1"] }));
    index.add(makeSdist({ name: "src-only", version: "1.0" }));
    await expect(resolve(index, pythonRequest())).rejects.toMatchObject({
      code: "PYTHON_SOURCE_ONLY",
      message: expect.stringContaining("Small 1.0 cpu for amd64: no wheel") as string,
      details: { projects: ["src-only"] },
    });
  });

  it("P10 takes the wheel that the recipe gives instead", async () => {
    const index = await pythonIndex();
    index.add(makeWheel({ name: "small", version: "1.0", requires: ["src-only>=1"] }));
    index.add(makeSdist({ name: "src-only", version: "1.0" }));
    const wheel = makeWheel({ name: "src_only", version: "1.0" });
    const url = index.addRelease("o/r", "v1", wheel);
    const line = `src-only @ ${url}#sha256=${hexOf(wheel.digest)}`;
    const { packages } = await resolve(index, pythonRequest({ requirements: ["small==1.0", line] }));
    expect(packages[1]).toMatchObject({ name: "src-only", version: "1.0" });
    expect(packages[1]?.files[0]).toMatchObject({ url, digest: wheel.digest, index: { kind: "none" } });
  });

  it("is refused in uv's words where there is no solution", async () => {
    const index = await pythonIndex();
    index.add(makeWheel({ name: "small", version: "1.0", requires: ["new>=1"] }));
    index.add(makeWheel({ name: "new", version: "1.0", tag: "cp312-cp312-manylinux_2_39_x86_64" }));
    await expect(resolve(index, pythonRequest())).rejects.toMatchObject({
      code: "PYTHON_NO_SOLUTION",
      message: expect.stringContaining("manylinux_2_39_x86_64") as string,
    });
    await expect(resolve(index, pythonRequest({}, { version: "3.0" }))).rejects.toMatchObject({
      code: "PYTHON_NO_SOLUTION",
      message: expect.stringContaining("small 3.0 on the package index") as string,
    });
  });

  it("needs upload times to be frozen", async () => {
    const index = await pythonIndex();
    index.add(makeWheel({ name: "small", version: "1.0" }), { uploadedAt: null });
    await expect(resolve(index, pythonRequest())).rejects.toMatchObject({
      code: "PYTHON_NO_SOLUTION",
      message: expect.stringContaining("no upload times") as string,
    });
  });

  it("P16 is what it is whatever else the operator's environment says", async () => {
    const index = await pythonIndex();
    const other = await pythonIndex();
    index.add(makeWheel({ name: "small", version: "1.0", requires: ["dep"] }));
    index.add(makeWheel({ name: "dep", version: "1.0" }));
    other.add(makeWheel({ name: "dep", version: "9.0" }));
    const resolver = await resolverFor(index, {
      UV_INDEX: other.simple,
      UV_EXTRA_INDEX_URL: other.simple,
      PIP_INDEX_URL: other.simple,
      UV_FIND_LINKS: "/nowhere",
      UV_TORCH_BACKEND: "cu129",
      UV_EXCLUDE_NEWER: "2001-01-01T00:00:00Z",
    });
    const { packages } = await resolver.resolve(pythonRequest());
    expect(packages.map(({ version }) => version)).toEqual(["1.0", "1.0"]);
    expect(other.requests).toEqual([]);
  });

  it("is asked once for equal requests", async () => {
    const index = await pythonIndex();
    index.add(makeWheel({ name: "small", version: "1.0" }));
    const resolver = await resolverFor(index);
    const first = await resolver.resolve(pythonRequest());
    const asked = index.requests.length;
    expect(await resolver.resolve(pythonRequest())).toBe(first);
    expect(index.requests).toHaveLength(asked);
  });
});

describe("an engine with a second index", () => {
  const cu129: Partial<PythonRequest["build"]> = {
    variant: "cu129",
    requirements: [],
    wheel: { project: "small", repo: "o/r", tag: "v1.0", prefix: "small-", suffix: ".whl" },
    extraIndex: "https://download.pytorch.org/whl/cu129",
    indexPackages: ["torch", "torchvision", "torchaudio"],
  };
  const engine = makeWheel({
    name: "small",
    version: "1.0+cu129",
    tag: "cp38-abi3-manylinux_2_31_x86_64",
    requires: ["torch==2.10.0", "torchvision==0.25.0", "numpy"],
    ballast: Buffer.alloc(300_000, "x"),
  });
  const torchTag = "cp312-cp312-manylinux_2_28_x86_64";

  it("P2 serves the earlier of both dates, whatever the second index stamps or does not", async () => {
    const index = await pythonIndex();
    index.add(makeWheel({ name: "small", version: "1.0" }), { uploadedAt: "2026-04-18T05:49:00Z" });
    index.add(makeWheel({ name: "numpy", version: "2.0" }));
    index.add(makeWheel({ name: "numpy", version: "2.1" }), { uploadedAt: "2026-04-20T00:00:00Z" });
    const on = (name: string, version: string, uploadedAt: string | null): void => {
      index.addExtra("cu129", makeWheel({ name, version, tag: torchTag }), { uploadedAt, absolute: true });
    };
    // Stamped anew after the limit, known to the default index from before.
    on("torchvision", "0.25.0+cu129", "2026-04-27T19:00:28Z");
    index.add(makeWheel({ name: "torchvision", version: "0.25.0", tag: torchTag }), {
      uploadedAt: "2026-01-21T00:00:00Z",
    });
    // Without a date, and on no other index.
    on("torch", "2.10.0+cu129", null);
    // Dated before the default index had it.
    on("torchaudio", "2.10.0+cu129", "2026-02-01T00:00:00Z");
    index.add(makeWheel({ name: "torchaudio", version: "2.10.0", tag: torchTag }), {
      uploadedAt: "2026-02-02T00:00:00Z",
    });
    const url = index.addRelease("o/r", "v1.0", engine);
    const wheel = { filename: engine.filename, url, digest: engine.digest };

    const resolution = await resolve(index, pythonRequest(cu129, { wheel }));
    expect(resolution.excludeNewer).toBe("2026-04-19T05:49:00Z");
    expect(resolution.extraIndex).toEqual({
      name: "cu129",
      url: `${index.whl}/cu129`,
      packages: ["torch", "torchvision", "torchaudio"],
    });
    expect(resolution.requirements).toEqual([
      `small @ ${url}#sha256=${hexOf(engine.digest)}`,
      "torch",
      "torchvision",
      "torchaudio",
    ]);
    const told = resolution.packages.map(({ name, version, files: [file] }) => [
      name,
      version,
      file?.index.kind,
      file?.uploadedAt,
      file?.claimedUploadedAt,
    ]);
    const published = "2026-04-18T05:49:00Z";
    expect(told).toEqual([
      ["numpy", "2.0", "default", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"],
      ["small", "1.0+cu129", "none", published, undefined],
      ["torch", "2.10.0+cu129", "extra", published, undefined],
      ["torchaudio", "2.10.0+cu129", "extra", "2026-02-01T00:00:00Z", "2026-02-01T00:00:00Z"],
      ["torchvision", "0.25.0+cu129", "extra", "2026-01-21T00:00:00Z", "2026-04-27T19:00:28Z"],
    ]);
    expect(resolution.packages[2]?.files[0]).toMatchObject({
      filename: `torch-2.10.0+cu129-${torchTag}.whl`,
      url: `${index.whl}/cu129/torch-2.10.0%2Bcu129-${torchTag}.whl`,
      size: undefined,
      index: { kind: "extra", name: "cu129" },
    });
    // Of the release's wheel uv read its end, and no other wheel at all.
    const whole = index.requests.filter((request) => /^GET .*\.whl$/.test(request));
    expect(whole).toEqual([]);
    expect(index.requests.some((request) => /^GET .*\.whl bytes=/.test(request))).toBe(true);
  });

  it("P6 says of a wheel without a digest upstream that none is claimed, also when asked again", async () => {
    const index = await pythonIndex();
    index.add(makeWheel({ name: "small", version: "1.0", requires: ["torch"] }));
    const torch = makeWheel({ name: "torch", version: "2.10.0+cu129", tag: torchTag });
    index.addExtra("cu129", torch, { hash: "none" });
    const vision = makeWheel({ name: "torchvision", version: "0.25.0+cu129", tag: torchTag });
    index.addExtra("cu129", vision);
    const resolver = await resolverFor(index);
    const extraIndex = "https://download.pytorch.org/whl/cu129";
    const indexPackages = ["torch", "torchvision"];
    for (const variant of ["cu129", "again"]) {
      const build = { variant, requirements: ["small==1.0"], extraIndex, indexPackages };
      const { packages } = await resolver.resolve(pythonRequest(build));
      expect(packages.map(({ name, files }) => [name, files[0]?.claimed])).toEqual([
        ["small", true],
        ["torch", false],
        ["torchvision", true],
      ]);
      // What uv received when it resolved is what must come when it is fetched.
      expect(packages[1]?.files[0]?.digest).toBe(torch.digest);
    }
  });
});

it("a second index that is not PyTorch's is asked where it is", async () => {
  const index = await pythonIndex();
  index.add(makeWheel({ name: "small", version: "1.0", requires: ["torch"] }));
  index.addExtra("own", makeWheel({ name: "torch", version: "9.0" }), { uploadedAt: "2026-09-09T00:00:00Z" });
  const build = { extraIndex: `${index.whl}/own/`, indexPackages: ["Torch"] };
  const { extraIndex, packages } = await resolve(index, pythonRequest(build));
  expect(extraIndex).toEqual({ name: "own", url: `${index.whl}/own`, packages: ["torch"] });
  expect(packages[1]).toMatchObject({ version: "9.0", files: [{ uploadedAt: "2026-01-01T00:00:00Z" }] });
});

describe("an engine from its source archive", () => {
  it("is frozen at the time of its pin, with the requirements of its file", async () => {
    const index = await pythonIndex();
    index.add(makeWheel({ name: "aiohttp", version: "3.1" }), { uploadedAt: "2026-01-01T00:00:00Z" });
    index.add(makeWheel({ name: "aiohttp", version: "3.2" }), { uploadedAt: "2026-02-01T00:00:00Z" });
    const request = pythonRequest(
      { asOf: "2026-01-05T00:00:00Z", requirements: [] },
      { pypi: undefined, sourceRequirements: { file: "requirements.txt", text: "# needs\naiohttp>=3\n" } },
    );
    const resolution = await resolve(index, request);
    expect(resolution).toMatchObject({ published: "2026-01-05T00:00:00Z", release: undefined });
    expect(resolution.packages.map(({ version }) => version)).toEqual(["3.1"]);
  });

  it("asks for something", async () => {
    const index = await pythonIndex();
    await expect(resolve(index, pythonRequest({ requirements: [] }))).rejects.toMatchObject({
      code: "RECIPE_INVALID",
    });
  });

  it("cannot be frozen where nothing says when it was published", async () => {
    const index = await pythonIndex();
    await expect(resolve(index, pythonRequest({}, { pypi: undefined }))).rejects.toMatchObject({
      code: "RECIPE_INVALID",
    });
  });
});
