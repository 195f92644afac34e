import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { digestOf, hexOf } from "../../../src/lib/digest.ts";
import { silentLogger } from "../../../src/log.ts";
import { createResolver } from "../../../src/upstream/python/resolver.ts";
import type { PythonArch, PythonResolver } from "../../../src/upstream/python/types.ts";
import { openUv } from "../../../src/upstream/python/uv-process.ts";
import { tarGzOf } from "../../support/archives/tar-gz.ts";
import { REAL_UV_TIMEOUT, realUv } from "../../support/real-uv.ts";
import { tmpDir } from "../../support/tmp.ts";
import { listen } from "../../support/upstream/listen.ts";

let path: string;
beforeAll(async () => {
  path = await realUv();
}, REAL_UV_TIMEOUT);

const ASSET = "cpython-3.12.1+20991231-x86_64-unknown-linux-gnu-install_only_stripped.tar.gz";
const GITHUB = "https://github.com/astral-sh/python-build-standalone/releases/download";

/** As little as uv takes for an interpreter; it never runs. */
const archive = tarGzOf([
  { path: "python/bin/python3.12", content: "#!/bin/sh\n", mode: 0o755 },
  { path: "python/lib/python3.12/os.py", content: "" },
  {
    path: "python/lib/python3.12/_sysconfigdata__linux_x86_64-linux-gnu.py",
    content: "# system configuration generated and used by the sysconfig module\nbuild_time_vars = {}\n",
  },
]);

interface Entry {
  url?: string;
  sha256?: string;
  name?: string;
  libc?: string;
  family?: string;
  variant?: string | null;
}

/** A resolver whose uv has this table of interpreters. */
async function withTable(entries: Record<string, Entry>): Promise<PythonResolver> {
  const folder = await tmpDir();
  const table = Object.entries(entries).map(([key, entry]) => [
    key,
    {
      name: entry.name ?? "cpython",
      arch: { family: entry.family ?? (key.includes("aarch64") ? "aarch64" : "x86_64"), variant: null },
      os: "linux",
      libc: entry.libc ?? "gnu",
      major: 3,
      minor: 12,
      patch: 1,
      prerelease: "",
      url: entry.url ?? `${GITHUB}/20991231/${ASSET.replace("+", "%2B")}`,
      sha256: entry.sha256 ?? hexOf(digestOf(archive)),
      variant: entry.variant ?? null,
      build: "20991231",
    },
  ]);
  const file = join(folder, "table.json");
  await writeFile(file, JSON.stringify(Object.fromEntries(table)));
  const env = { ...process.env, UV_PYTHON_DOWNLOADS_JSON_URL: file, UV_HTTP_RETRIES: "0" };
  const uv = await openUv({ path, env, folder: join(folder, "uv") });
  return createResolver({ uv, logger: silentLogger });
}

async function archiveFile(content: Uint8Array = archive): Promise<string> {
  const file = join(await tmpDir(), "blob");
  await writeFile(file, content);
  return file;
}

const AMD64 = "cpython-3.12.1-linux-x86_64-gnu";
const ARM64 = "cpython-3.12.1-linux-aarch64-gnu";

it("P15 is the file that this very uv asks for, of the plain kind and the architecture itself", async () => {
  const resolver = await withTable({
    "cpython-3.12.1-linux-x86_64-musl": { libc: "musl" },
    "cpython-3.12.1+freethreaded-linux-x86_64-gnu": { variant: "freethreaded" },
    "pypy-3.12.1-linux-x86_64-gnu": { name: "pypy" },
    [AMD64]: {},
    [ARM64]: { url: `https://other.test/20991231T0102/x86.tar.gz` },
  });
  expect(await resolver.interpreter("3.12", "amd64")).toEqual({
    key: AMD64,
    version: "3.12.1",
    build: "20991231",
    asset: ASSET,
  });
  expect(await resolver.interpreter("3.12", "arm64")).toEqual({
    key: ARM64,
    version: "3.12.1",
    build: "20991231T0102",
    asset: "x86.tar.gz",
  });
});

it("P15 is in the real table for both architectures", async () => {
  const uv = await openUv({ path, env: { PATH: process.env["PATH"] }, folder: await tmpDir() });
  const resolver = createResolver({ uv, logger: silentLogger });
  for (const [arch, machine] of [
    ["amd64", "x86_64"],
    ["arm64", "aarch64"],
  ] as const) {
    const { key, version, build, asset } = await resolver.interpreter("3.12", arch);
    expect(key).toBe(`cpython-${version}-linux-${machine}-gnu`);
    expect(asset).toContain(`cpython-${version}+${build}-${machine}-unknown-linux-gnu-`);
  }
});

it("is missed by name where uv lists none, or has no release for it", async () => {
  const resolver = await withTable({ [AMD64]: { url: "https://other.test/python.tar.gz" } });
  await expect(resolver.interpreter("3.12", "arm64")).rejects.toMatchObject({
    code: "PYTHON_INTERPRETER",
    message: expect.stringContaining("lists none for CPython 3.12 on linux aarch64") as string,
  });
  await expect(resolver.interpreter("3.12", "amd64")).rejects.toMatchObject({ code: "PYTHON_INTERPRETER" });
});

it.each<[PythonArch, string]>([
  ["amd64", AMD64],
  ["arm64", ARM64],
])("P15 the archive of %s is unpacked by uv, which checks its digest", async (arch, key) => {
  const good = await withTable({ [key]: {} });
  const interpreter = await good.interpreter("3.12", arch);
  await good.checkInterpreter(interpreter, await archiveFile());

  const other = await archiveFile(tarGzOf([{ path: "python/bin/python3.12", content: "other" }]));
  await expect(good.checkInterpreter(interpreter, other)).rejects.toMatchObject({
    code: "PYTHON_INTERPRETER",
    message: expect.stringMatching(/Hash mismatch[^]*Expected/) as string,
    details: { key, asset: ASSET },
  });
});

it("P15 an archive that uv cannot be given from elsewhere is compared with the one that it downloads", async () => {
  const listening = await listen((_request, response) => response.end(archive));
  onTestFinished(() => listening.close());
  const resolver = await withTable({ [AMD64]: { url: `${listening.origin}/mirror/20991231/a.tar.gz` } });
  const interpreter = await resolver.interpreter("3.12", "amd64");
  await resolver.checkInterpreter(interpreter, await archiveFile());
  const other = await archiveFile(tarGzOf([{ path: "python/bin/python3.12", content: "other" }]));
  await expect(resolver.checkInterpreter(interpreter, other)).rejects.toMatchObject({
    code: "PYTHON_INTERPRETER",
    message: expect.stringContaining("another digest") as string,
  });
});

it("P15 an archive that cannot be compared is refused", async () => {
  const resolver = await withTable({ [AMD64]: { url: "http://127.0.0.1:0/mirror/20991231/a.tar.gz" } });
  const interpreter = await resolver.interpreter("3.12", "amd64");
  await expect(resolver.checkInterpreter(interpreter, await archiveFile())).rejects.toMatchObject({
    code: "PYTHON_INTERPRETER",
  });
});
