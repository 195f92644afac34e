import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { digestOf, hexOf } from "../../src/lib/digest.ts";
import { encodePath } from "../../src/wire/github.ts";
import { pythonDownloads } from "../../src/wire/python-downloads.ts";
import { tarGzOf } from "../support/archives/tar-gz.ts";
import type { TestMirror } from "../support/mirror-server.ts";
import { INTERPRETER, INTERPRETER_PATH } from "../support/python-bundle.ts";
import { mustRun } from "../support/python-clients.ts";
import { pythonSite } from "../support/python-site.ts";
import { REAL_UV_TIMEOUT, realUv } from "../support/real-uv.ts";
import { tmpDir } from "../support/tmp.ts";

let uv: string;
beforeAll(async () => {
  uv = await realUv();
}, REAL_UV_TIMEOUT);

/** What uv unpacks and looks at, but nobody could run. */
const archive = tarGzOf([
  { path: "python/bin/python3.12", content: "#!/bin/sh\n", mode: 0o755 },
  {
    path: "python/lib/python3.12/_sysconfigdata__linux_x86_64-linux-gnu.py",
    content: "# system configuration generated and used by the sysconfig module\nbuild_time_vars = {}\n",
  },
]);

async function siteWithInterpreter(): Promise<TestMirror> {
  const files = { [INTERPRETER_PATH]: archive };
  return pythonSite({}, { name: "site-a", interpreters: [INTERPRETER], files });
}

/** Names of what uv installed. */
async function install(env: Record<string, string>): Promise<string[]> {
  const cwd = await tmpDir();
  const request = ["python", "install", INTERPRETER.key, "--install-dir", "pythons", "--no-bin"];
  await mustRun(uv, request, { cwd, env });
  return (await readdir(join(cwd, "pythons"))).filter((name) => name === INTERPRETER.key);
}

describe("P15 uv python install", () => {
  it("takes the interpreter that the mirror's table names, and nothing else", async () => {
    const mirror = await siteWithInterpreter();
    const table = `${mirror.url}/python-downloads.json`;
    expect(await install({ UV_PYTHON_DOWNLOADS_JSON_URL: table })).toEqual([INTERPRETER.key]);
    expect(mirror.log.map(({ path, status }) => [path, status])).toEqual([
      ["/python-downloads.json", 200],
      [`/${INTERPRETER_PATH}`, 200],
    ]);
  });

  it.each([
    [
      "UV_PYTHON_INSTALL_MIRROR",
      "/astral-sh/python-build-standalone/releases/download",
      `/${INTERPRETER_PATH}`,
    ],
    ["UV_ASTRAL_MIRROR_URL", "", `/${INTERPRETER_PATH.replace("astral-sh/", "github/")}`],
  ])("takes what its own table names from where %s leads", async (variable, at, asked) => {
    const mirror = await siteWithInterpreter();
    // uv's own table names no file of a test, so one like it stands in its place.
    const own = pythonDownloads([
      {
        ...INTERPRETER,
        url: `https://github.com/${encodePath(INTERPRETER_PATH)}`,
        sha256: hexOf(digestOf(archive)),
      },
    ]);
    const table = join(await tmpDir(), "downloads.json");
    await writeFile(table, JSON.stringify(own));
    const env = { UV_PYTHON_DOWNLOADS_JSON_URL: table, [variable]: `${mirror.url}${at}` };
    expect(await install(env)).toEqual([INTERPRETER.key]);
    expect(mirror.log.map(({ path, status }) => [path, status])).toEqual([[asked, 200]]);
  });
});
