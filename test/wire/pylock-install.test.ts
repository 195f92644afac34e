import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { hexOf } from "../../src/lib/digest.ts";
import { openUv } from "../../src/upstream/python/uv-process.ts";
import type { PylockPackage } from "../../src/wire/pylock.ts";
import { renderPylock } from "../../src/wire/render-pylock.ts";
import { pythonIndex } from "../support/python-index/python-index.ts";
import { type Distribution, makeWheel } from "../support/python-index/wheel.ts";
import { REAL_UV_TIMEOUT, realUv } from "../support/real-uv.ts";
import { tmpDir } from "../support/tmp.ts";

let path: string;
beforeAll(async () => {
  path = await realUv();
}, REAL_UV_TIMEOUT);

function entry(wheel: Distribution, where: { url?: string; path?: string }): PylockPackage {
  return {
    name: wheel.project,
    version: wheel.version,
    marker: undefined,
    sdist: undefined,
    archive: undefined,
    wheels: [
      {
        name: wheel.filename,
        url: where.url,
        path: where.path,
        uploadTime: "2026-01-01T00:00:00Z",
        size: wheel.bytes.length,
        hashes: { sha256: hexOf(wheel.digest) },
      },
    ],
  };
}

async function install(folder: string, packages: PylockPackage[], env: Record<string, string> = {}) {
  await writeFile(join(folder, "pylock.toml"), renderPylock({ requiresPython: ">=3.8", packages }));
  const uv = await openUv({ path, env: { ...process.env, ...env }, folder: join(folder, "uv") });
  const lock = ["--require-hashes", "-r", join(folder, "pylock.toml")];
  const target = ["--target", join(folder, "target"), "--python", await uv.python()];
  return uv.run(["pip", "install", "--no-build", ...lock, ...target], folder);
}

const engine = makeWheel({ name: "small", version: "1.0+cu129", requires: ["torch"] });
const torch = makeWheel({ name: "torch", version: "2.10.0+cu129" });

it("the real uv installs what we write, a release's wheel like any other", async () => {
  const index = await pythonIndex();
  const folder = await tmpDir();
  const packages = [
    entry(engine, { url: index.addRelease("o/r", "v1.0", engine) }),
    entry(torch, { url: index.addExtra("cu129", torch) }),
  ];
  const result = await install(folder, packages, { UV_DEFAULT_INDEX: index.simple });
  expect(result).toMatchObject({ code: 0 });
  expect(await readFile(join(folder, "target", "small", "__init__.py"), "utf8")).toContain("1.0+cu129");
  expect(await readdir(join(folder, "target"))).toContain("torch-2.10.0+cu129.dist-info");
  // A lock is installed without an index.
  expect(index.requests.filter((request) => request.endsWith("/"))).toEqual([]);
});

it("the real uv installs it from a folder, and refuses a wheel that was changed there", async () => {
  const folder = await tmpDir();
  for (const wheel of [engine, torch]) await writeFile(join(folder, wheel.filename), wheel.bytes);
  const packages = [engine, torch].map((wheel) => entry(wheel, { path: wheel.filename }));
  expect(await install(folder, packages)).toMatchObject({ code: 0 });

  const changed = await tmpDir();
  const other = makeWheel({ name: "torch", version: "2.10.0+cu129", requires: ["more"] });
  await writeFile(join(changed, engine.filename), engine.bytes);
  await writeFile(join(changed, torch.filename), other.bytes);
  const refused = await install(changed, packages);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toMatch(/[Hh]ash mismatch|size/);
});
