import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rename } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { systemClock } from "../../src/lib/clock.ts";
import { acquireLock } from "../../src/lib/lock.ts";
import { makeTempDir, removeTree } from "./tmp.ts";

const run = promisify(execFile);

/** Milliseconds that packing it may take, and fetching uv before. */
export const REAL_INTERPRETER_TIMEOUT = 180_000;

export interface RealInterpreter {
  /** A gzip'd tar whose one folder, `python`, runs wherever it is unpacked on this machine. */
  archive: Buffer;
  /** `3.12` */
  version: string;
  /** `3.12.1` */
  full: string;
}

/** What an environment needs of a Python, and nothing that only its developers do. */
const PACK = String.raw`
import os, shutil, subprocess, sys, sysconfig
folder = sys.argv[1]
stdlib = sysconfig.get_path("stdlib")
name = "python%d.%d" % sys.version_info[:2]
left = shutil.ignore_patterns("test", "tests", "__pycache__", "*.a", "site-packages", "dist-packages", "idlelib", "turtledemo",
    "tkinter", "lib2to3", "pydoc_data", "config-*", "ensurepip")
shutil.copytree(stdlib, os.path.join(folder, "lib", name), ignore=left, symlinks=False)
os.makedirs(os.path.join(folder, "lib", name, "site-packages"))
os.makedirs(os.path.join(folder, "bin"))
shutil.copy(os.path.realpath(sys.executable), os.path.join(folder, "bin", name))
for link in ("python3", "python"):
    os.symlink(name, os.path.join(folder, "bin", link))
`;

let made: Promise<RealInterpreter> | undefined;

/**
 * A CPython of this machine as an archive like python-build-standalone's, packed once into the user's cache: the one that
 * FERRY_TEST_PYTHON names, else the first of python3.12, python3.13, python3.11 and python3 that runs. Give the
 * `beforeAll` that calls it REAL_INTERPRETER_TIMEOUT.
 */
export function realInterpreter(): Promise<RealInterpreter> {
  made ??= findOrPack();
  return made;
}

async function findOrPack(): Promise<RealInterpreter> {
  const { program, full } = await findPython();
  const version = full.split(".").slice(0, 2).join(".");
  const cache = join(
    process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
    "engine-ferry-dev",
    `python-${full}-${process.arch}`,
  );
  const archive = join(cache, "python-2.tar.gz");
  if (!existsSync(archive)) {
    const lock = await acquireLock(join(cache, "lock"), {
      what: "packing a Python for the tests",
      clock: systemClock,
      waitMs: REAL_INTERPRETER_TIMEOUT,
    });
    try {
      if (!existsSync(archive)) await pack(program, archive);
    } finally {
      await lock.release();
    }
  }
  return { archive: await readFile(archive), version, full };
}

async function findPython(): Promise<{ program: string; full: string }> {
  const given = process.env["FERRY_TEST_PYTHON"];
  const names = given === undefined || given === "" ? CANDIDATES : [given];
  for (const name of names) {
    const script = "import sys, platform; print(sys.executable); print(platform.python_version())";
    try {
      // -S: a venv's own site would answer for the venv.
      const { stdout } = await run(name, ["-I", "-c", script]);
      const [program = "", full = ""] = stdout.trim().split("\n");
      if (/^3\.\d+\.\d+$/.test(full)) return { program, full };
    } catch {
      // The next one may.
    }
  }
  throw new Error(
    `these tests unpack a real Python, and none of ${names.join(", ")} runs here; install python3, or name one in FERRY_TEST_PYTHON`,
  );
}

const CANDIDATES = ["python3.12", "python3.13", "python3.11", "python3"];

async function pack(program: string, archive: string): Promise<void> {
  const folder = await makeTempDir("ferry-python-");
  try {
    await run(program, ["-I", "-c", PACK, join(folder, "python")]);
    await mkdir(join(archive, ".."), { recursive: true });
    const beside = `${archive}.${process.pid}`;
    await run("tar", ["-I", "gzip -6", "-cf", join(folder, "python.tar.gz"), "-C", folder, "python"]);
    await copyFile(join(folder, "python.tar.gz"), beside);
    await rename(beside, archive);
  } finally {
    await removeTree(folder);
  }
}
