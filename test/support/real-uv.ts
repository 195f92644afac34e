import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, rename } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { systemClock } from "../../src/lib/clock.ts";
import { acquireLock } from "../../src/lib/lock.ts";
import { makeTempDir, removeTree } from "./tmp.ts";

const run = promisify(execFile);

/** The version of uv that tests run. */
export const UV_VERSION = "0.12.23";

/**
 * Path of a real uv: what FERRY_TEST_UV names, or else uv's wheel, fetched by pip once into the user's cache. Several
 * test files may ask at once. Give the `beforeAll` that calls it REAL_UV_TIMEOUT.
 */
export async function realUv(): Promise<string> {
  const given = process.env["FERRY_TEST_UV"];
  if (given !== undefined && given !== "") {
    if (!existsSync(given)) throw new Error(`FERRY_TEST_UV names ${given}, which is not there`);
    return given;
  }
  const cache = join(
    process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
    "engine-ferry-dev",
    `uv-${UV_VERSION}`,
  );
  const uv = join(cache, "uv");
  if (existsSync(uv)) return uv;
  const lock = await acquireLock(join(cache, "lock"), {
    what: "fetching uv for the tests",
    clock: systemClock,
    waitMs: REAL_UV_TIMEOUT,
  });
  try {
    if (!existsSync(uv)) await install(uv);
  } finally {
    await lock.release();
  }
  return uv;
}

/** Milliseconds that fetching it may take. */
export const REAL_UV_TIMEOUT = 180_000;

async function install(uv: string): Promise<void> {
  const folder = await makeTempDir("ferry-uv-");
  try {
    await run("python3", ["-m", "venv", join(folder, "venv")]);
    const pip = [
      "-m",
      "pip",
      "install",
      "-q",
      "--disable-pip-version-check",
      "--no-deps",
      `uv==${UV_VERSION}`,
    ];
    await run(join(folder, "venv", "bin", "python"), pip);
    await mkdir(dirname(uv), { recursive: true });
    const beside = `${uv}.${process.pid}`;
    await copyFile(join(folder, "venv", "bin", "uv"), beside);
    await rename(beside, uv);
  } catch (error) {
    const why = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
    throw new Error(
      `these tests run the real uv ${UV_VERSION}, and pip could not fetch it (python3 -m venv, pip install uv==${UV_VERSION}); put a uv of this version somewhere and name it in FERRY_TEST_UV: ${why.trim()}`,
      { cause: error },
    );
  } finally {
    await removeTree(folder);
  }
}
