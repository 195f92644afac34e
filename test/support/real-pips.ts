import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { systemClock } from "../../src/lib/clock.ts";
import { acquireLock } from "../../src/lib/lock.ts";

const run = promisify(execFile);

/** Pips that people have on their machines: before and after resumed downloads, and one that reads locks. */
export const PIP_VERSIONS = ["23.2", "25.1", "26.3"] as const;
export type PipVersion = (typeof PIP_VERSIONS)[number];

/** Milliseconds that fetching one may take. */
export const REAL_PIP_TIMEOUT = 180_000;

/**
 * The python of an environment that has this very pip, made once in the user's cache; `-m pip` runs it. Several test files
 * may ask at once. Give the `beforeAll` that calls it REAL_PIP_TIMEOUT.
 */
export async function realPip(version: PipVersion): Promise<string> {
  const cache = join(
    process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
    "engine-ferry-dev",
    `pip-${version}`,
  );
  const python = join(cache, "venv", "bin", "python");
  const done = join(cache, "done");
  if (existsSync(done)) return python;
  await mkdir(dirname(cache), { recursive: true });
  const lock = await acquireLock(`${cache}.lock`, {
    what: "fetching pip for the tests",
    clock: systemClock,
    waitMs: REAL_PIP_TIMEOUT,
  });
  try {
    if (existsSync(done)) return python;
    await rm(cache, { recursive: true, force: true });
    await run("python3", ["-m", "venv", join(cache, "venv")]);
    const install = ["-m", "pip", "install", "-q", "--disable-pip-version-check", `pip==${version}`];
    await run(python, install);
    await writeFile(done, "");
    return python;
  } catch (error) {
    const why = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
    throw new Error(
      `these tests run the real pip ${version}, and pip could not fetch it (python3 -m venv, pip install pip==${version}): ${why.trim()}`,
      { cause: error },
    );
  } finally {
    await lock.release();
  }
}
