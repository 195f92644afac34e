import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { openUv, uvEnvironment } from "../../../src/upstream/python/uv-process.ts";
import { REAL_UV_TIMEOUT, realUv } from "../../support/real-uv.ts";
import { tmpDir } from "../../support/tmp.ts";

let path: string;
beforeAll(async () => {
  path = await realUv();
}, REAL_UV_TIMEOUT);

it("P16 hands uv the operator's index settings and nothing else of its many", () => {
  const kept = {
    PATH: "/bin",
    HOME: "/root",
    NETRC: "/n",
    UV_DEFAULT_INDEX: "http://x/simple/",
    UV_INDEX_CU129_USERNAME: "u",
    UV_INDEX_CU129_PASSWORD: "p",
    UV_KEYRING_PROVIDER: "subprocess",
    UV_INSECURE_HOST: "x",
    UV_HTTP_TIMEOUT: "60",
    UV_PYTHON_DOWNLOADS_JSON_URL: "/t.json",
    UV_SYSTEM_CERTS: "true",
    UV_NATIVE_TLS: "true",
    SSL_CERT_FILE: "/c",
    SSL_CERT_DIR: "/d",
    HTTPS_PROXY: "http://p",
    no_proxy: "x",
  };
  const dropped = {
    UV_INDEX: "http://evil/",
    UV_INDEX_URL: "http://evil/",
    UV_EXTRA_INDEX_URL: "http://evil/",
    UV_FIND_LINKS: "/evil",
    UV_TORCH_BACKEND: "auto",
    UV_EXCLUDE_NEWER: "2020-01-01",
    UV_CONSTRAINT: "/evil",
    UV_OVERRIDE: "/evil",
    UV_PRERELEASE: "allow",
    UV_CONFIG_FILE: "/evil.toml",
    UV_CACHE_DIR: "/evil",
    UV_PYTHON_DOWNLOADS: "automatic",
    UV_OFFLINE: "1",
    PIP_INDEX_URL: "http://evil/",
    PIP_EXTRA_INDEX_URL: "http://evil/",
    VIRTUAL_ENV: "/evil",
    PYTHONPATH: "/evil",
    RUST_LOG: "trace",
  };
  expect(uvEnvironment({ ...kept, ...dropped, SSL_CLIENT_CERT: undefined }, "/cache")).toEqual({
    ...kept,
    UV_NO_CONFIG: "1",
    UV_CACHE_DIR: "/cache",
    UV_PYTHON_DOWNLOADS: "never",
    UV_NO_PROGRESS: "1",
    NO_COLOR: "1",
  });
});

it("says which uv it is, and leaves no folders behind", async () => {
  const folder = join(await tmpDir(), "deep", "er");
  const uv = await openUv({ path, env: process.env, folder });
  const said = await uv.inFolder((cwd) => uv.run(["--version"], cwd));
  expect(said.stdout).toContain(`uv ${uv.version} `);
  const [result, at] = await uv.inFolder(async (cwd) => [await uv.run(["cache", "dir"], cwd), cwd] as const);
  expect(result.stdout.trim()).toBe(join(folder, "cache"));
  expect(at.startsWith(join(folder, "work-"))).toBe(true);
  await expect(uv.run(["cache", "dir"], at)).rejects.toMatchObject({ code: "PYTHON_UV" });
});

it("names a uv that is none", async () => {
  const folder = await tmpDir();
  const other = join(folder, "uv");
  await writeFile(other, "#!/bin/sh\necho pip 26.3\n", { mode: 0o755 });
  const opening = openUv({ path: other, env: process.env, folder });
  await expect(opening).rejects.toMatchObject({
    code: "PYTHON_UV",
    message: expect.stringContaining("pip 26.3") as string,
  });
  await expect(openUv({ path: join(folder, "absent"), env: process.env, folder })).rejects.toMatchObject({
    code: "PYTHON_UV",
  });
});

it("names a folder that cannot be made", async () => {
  const file = join(await tmpDir(), "file");
  await writeFile(file, "");
  await expect(openUv({ path, env: process.env, folder: file })).rejects.toMatchObject({
    code: "FILE_UNWRITABLE",
  });
});

it("stops when it is told to", async () => {
  const stop = new AbortController();
  const uv = await openUv({ path, env: process.env, folder: await tmpDir(), signal: stop.signal });
  stop.abort();
  await expect(uv.inFolder((cwd) => uv.run(["--version"], cwd))).rejects.toMatchObject({
    code: "INTERRUPTED",
  });
});

it("says when there is no Python to resolve with", async () => {
  const env = { PATH: "/nowhere", HOME: "/nowhere" };
  const uv = await openUv({ path, env, folder: await tmpDir() });
  await expect(uv.python()).rejects.toMatchObject({
    code: "PYTHON_UV",
    message: expect.stringContaining("finds no Python") as string,
  });
});
