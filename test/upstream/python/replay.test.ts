import { beforeAll, expect, it } from "vitest";
import type { Digest } from "../../../src/lib/digest.ts";
import { hexOf } from "../../../src/lib/digest.ts";
import { silentLogger } from "../../../src/log.ts";
import { differences } from "../../../src/upstream/python/differences.ts";
import { type LockedPackage, lockedPackages, resolveAgain } from "../../../src/upstream/python/replay.ts";
import { createResolver } from "../../../src/upstream/python/resolver.ts";
import type { Resolution } from "../../../src/upstream/python/types.ts";
import { openUv, type Uv } from "../../../src/upstream/python/uv-process.ts";
import { parsePylock } from "../../../src/wire/pylock.ts";
import { type PythonIndex, pythonIndex } from "../../support/python-index/python-index.ts";
import { pythonRequest } from "../../support/python-index/request.ts";
import { makeWheel } from "../../support/python-index/wheel.ts";
import { REAL_UV_TIMEOUT, realUv } from "../../support/real-uv.ts";
import { tmpDir } from "../../support/tmp.ts";

let path: string;
beforeAll(async () => {
  path = await realUv();
}, REAL_UV_TIMEOUT);

const tag = "cp312-cp312-manylinux_2_28_x86_64";
const engine = makeWheel({ name: "small", version: "1.0+cu129", requires: ["torch", "numpy"] });
const torch = makeWheel({ name: "torch", version: "2.10.0+cu129", tag, requires: ["numpy>=1"] });
const numpy = [tag, "py3-none-any"].map((tags) => makeWheel({ name: "numpy", version: "2.0", tag: tags }));
const PUBLISHED = "2026-04-18T05:49:00Z";
const MIRROR_PATH = `o/r/releases/download/v1.0/${engine.filename}`;

async function freshUv(env: Record<string, string>): Promise<Uv> {
  return openUv({ path, env: { ...process.env, ...env }, folder: await tmpDir() });
}

/** The engine resolved against an upstream that dates torch after the limit. */
async function resolved(upstream: PythonIndex): Promise<Resolution> {
  upstream.add(makeWheel({ name: "small", version: "1.0" }), { uploadedAt: PUBLISHED });
  for (const wheel of numpy) upstream.add(wheel, { uploadedAt: "2026-02-01T00:00:00Z" });
  upstream.addExtra("cu129", torch, { uploadedAt: "2026-09-09T00:00:00Z" });
  const url = upstream.addRelease("o/r", "v1.0", engine);
  const uv = await freshUv({ UV_DEFAULT_INDEX: upstream.simple });
  const build = {
    requirements: ["numpy"],
    wheel: { project: "small", repo: "o/r", tag: "v1.0", prefix: "small-", suffix: ".whl" },
    extraIndex: "https://download.pytorch.org/whl/cu129",
    indexPackages: ["torch"],
  };
  const wheel = { filename: engine.filename, url, digest: engine.digest };
  return createResolver({ uv, logger: silentLogger, torchIndexUrl: upstream.whl }).resolve(
    pythonRequest(build, { wheel }),
  );
}

/** As the bundle's lock has it: with the times that the mirror serves. */
function locked({ packages }: Resolution): LockedPackage[] {
  return packages.map(({ name, version, marker, files }) => ({
    name,
    version,
    marker,
    files: files.map((file) => ({
      filename: file.filename,
      sha256: file.digest === undefined ? undefined : hexOf(file.digest),
      size: file.size,
      uploadTime: file.uploadedAt,
      byAddress: false,
    })),
  }));
}

/** A mirror with what was locked, dated as it says. */
async function mirrorOf(resolution: Resolution): Promise<PythonIndex> {
  const mirror = await pythonIndex();
  const times = new Map(
    resolution.packages.flatMap(({ files }) => files.map((file) => [file.filename, file.uploadedAt])),
  );
  const at = (filename: string) => ({ uploadedAt: times.get(filename) ?? null });
  for (const wheel of numpy) mirror.add(wheel, at(wheel.filename));
  mirror.addExtra("cu129", torch, at(torch.filename));
  mirror.addRelease("o/r", "v1.0", engine);
  return mirror;
}

const facts = (resolution: Resolution, requirements = [`small @ /${MIRROR_PATH}`, "numpy", "torch"]) => ({
  version: resolution.python,
  platform: resolution.platform,
  excludeNewer: resolution.excludeNewer,
  requirements,
  extraIndex: resolution.extraIndex,
});
const digests = (asked: string): Digest | undefined => (asked === MIRROR_PATH ? engine.digest : undefined);

it("gives the same lock from the mirror alone, and asks nobody else", async () => {
  const upstream = await pythonIndex();
  const resolution = await resolved(upstream);
  const mirror = await mirrorOf(resolution);
  const asked = upstream.requests.length;
  const uv = await freshUv({ UV_DEFAULT_INDEX: upstream.simple });
  const again = await resolveAgain(uv, facts(resolution), `${mirror.origin}/`, digests);
  expect(differences(locked(resolution), again)).toEqual([]);
  expect(again.map(({ name }) => name).sort()).toEqual(["numpy", "small", "torch"]);
  expect(upstream.requests).toHaveLength(asked);
  expect(mirror.requests.filter((request) => /^GET .*\.whl$/.test(request))).toEqual([]);
});

it("tells where the mirror would lead to another lock", async () => {
  const resolution = await resolved(await pythonIndex());
  const mirror = await mirrorOf(resolution);
  mirror.remove(numpy[1]?.filename ?? "");
  mirror.add(makeWheel({ name: "numpy", version: "2.0", tag: "py3-none-any", requires: ["torch"] }), {
    uploadedAt: "2026-02-02T00:00:00Z",
  });
  const again = await resolveAgain(await freshUv({}), facts(resolution), mirror.origin, digests);
  expect(differences(locked(resolution), again)).toEqual([
    expect.stringMatching(/^numpy-2\.0-py3-none-any\.whl: sha256 is [0-9a-f]{64} in the lock and/),
    expect.stringMatching(/^numpy-2\.0-py3-none-any\.whl: size is/),
    "numpy-2.0-py3-none-any.whl: upload time is 2026-02-01T00:00:00Z in the lock and 2026-02-02T00:00:00Z now",
  ]);
});

it("fails by name where the mirror lacks a package", async () => {
  const resolution = await resolved(await pythonIndex());
  const mirror = await mirrorOf(resolution);
  mirror.remove(torch.filename);
  const again = resolveAgain(await freshUv({}), facts(resolution), mirror.origin, digests);
  await expect(again).rejects.toMatchObject({
    code: "PYTHON_NO_SOLUTION",
    message: expect.stringContaining("torch") as string,
  });
});

it("reaches no other host", async () => {
  const resolution = await resolved(await pythonIndex());
  const mirror = await mirrorOf(resolution);
  const line = `other @ https://elsewhere.test/other-1-py3-none-any.whl#sha256=${hexOf(engine.digest)}`;
  const again = resolveAgain(await freshUv({}), facts(resolution, [line]), mirror.origin, digests);
  await expect(again).rejects.toMatchObject({
    code: "NET_UNREACHABLE",
    message: expect.stringContaining("tunnel") as string,
  });
});

it("takes a wheel by its path with its marker", async () => {
  const resolution = await resolved(await pythonIndex());
  const mirror = await mirrorOf(resolution);
  const lines = [`small @ /${MIRROR_PATH} ; python_version < '3'`, "numpy"];
  const again = await resolveAgain(await freshUv({}), facts(resolution, lines), mirror.origin, digests);
  expect(again.map(({ name }) => name)).toEqual(["numpy"]);
});

it("reads a carried lock for comparison", () => {
  const text = `lock-version = "1.0"
[[packages]]
name = "Num_Py"
version = "2.0"
archive = { url = "https://x.test/numpy-2.0-py3-none-any.whl", hashes = { sha256 = "00" } }`;
  expect(lockedPackages(parsePylock(text))).toEqual([
    {
      name: "num-py",
      version: "2.0",
      marker: undefined,
      files: [
        {
          filename: "numpy-2.0-py3-none-any.whl",
          sha256: "00",
          size: undefined,
          uploadTime: undefined,
          byAddress: true,
        },
      ],
    },
  ]);
});
