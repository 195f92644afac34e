import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { FerryError } from "../../errors.ts";
import type { ExecResult } from "../../lib/exec.ts";
import { machineOf } from "../../wire/wheel-fit.ts";
import type { Interpreter, PythonArch } from "./types.ts";
import { uvFault } from "./uv-fault.ts";
import { reachingOnly, type Uv } from "./uv-process.ts";
import { uvWords } from "./uv-words.ts";

const Table = z.array(
  z.object({
    key: z.string(),
    version: z.string(),
    url: z.string().nullish(),
    os: z.string(),
    variant: z.string(),
    implementation: z.string(),
    arch: z.string(),
    libc: z.string(),
  }),
);

/** The interpreter that this uv would download for `3.12` on an architecture. Throws PYTHON_INTERPRETER where none. */
export async function askInterpreter(uv: Uv, python: string, arch: PythonArch): Promise<Interpreter> {
  const args = ["python", "list", python, "--only-downloads", "--all-arches", "--output-format", "json"];
  const result = await uv.inFolder((folder) => uv.run(args, folder));
  if (result.code !== 0) throw uvFault(result, `uv's list of interpreters for ${python}`);
  const machine = machineOf(arch);
  const entry = tableOf(result.stdout).find(
    (one) =>
      one.implementation === "cpython" &&
      one.os === "linux" &&
      one.libc === "gnu" &&
      one.arch === machine &&
      one.variant === "default",
  );
  const parts = /\/(\d{8}(?:T\d{4})?)\/([^/?#]+)$/.exec(entry?.url ?? "");
  if (entry === undefined || parts === null) {
    const found = entry === undefined ? "none" : `one at ${entry.url ?? "no address"}`;
    throw new FerryError(
      "PYTHON_INTERPRETER",
      `uv ${uv.version} lists ${found} for CPython ${python} on linux ${machine}`,
      { hint: "Ask for another python.version in the spec, or name a newer uv in FERRY_UV." },
    );
  }
  const [, build = "", asset = ""] = parts;
  return { key: entry.key, version: entry.version, build, asset: decodeURIComponent(asset) };
}

function tableOf(text: string): z.infer<typeof Table> {
  try {
    return Table.parse(JSON.parse(text));
  } catch (error) {
    throw new FerryError("PYTHON_UV", "uv's list of interpreters is not as uv 0.12 and 0.13 write it", {
      cause: error,
      hint: "Use a uv of 0.12 or 0.13: name it in FERRY_UV.",
    });
  }
}

/**
 * Lets this very uv unpack the archive at `path`, so that its own table's digest is compared (P15). It takes it from a
 * folder laid out as a mirror; an own table (UV_PYTHON_DOWNLOADS_JSON_URL) may have addresses that cannot be redirected,
 * and then uv downloads its copy, and the two are compared. Throws PYTHON_INTERPRETER.
 */
export async function checkInterpreter(uv: Uv, interpreter: Interpreter, path: string): Promise<void> {
  await uv.inFolder(async (folder) => {
    const mirror = join(folder, "mirror");
    await mkdir(join(mirror, interpreter.build), { recursive: true });
    await symlink(resolve(path), join(mirror, interpreter.build, interpreter.asset));
    const fromMirror = await install(
      uv,
      interpreter,
      folder,
      ["--mirror", pathToFileURL(mirror).href],
      reachingOnly(),
    );
    if (fromMirror.code === 0) return;
    if (!fromMirror.stderr.includes("does not match the expected format")) {
      throw refused(uv, interpreter, path, fromMirror);
    }
    const copies = join(folder, "copies");
    const own = await install(uv, interpreter, folder, [], { UV_PYTHON_CACHE_DIR: copies });
    if (own.code !== 0) throw refused(uv, interpreter, path, own);
    const [copy] = await readdir(copies);
    if (copy === undefined || (await digestOfFile(join(copies, copy))) !== (await digestOfFile(path))) {
      throw refused(uv, interpreter, path, {
        code: 1,
        stdout: "",
        stderr: "error: the archive that uv downloads by itself has another digest",
      });
    }
  });
}

function install(
  uv: Uv,
  { key }: Interpreter,
  folder: string,
  options: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ExecResult> {
  const target = join(folder, "installed");
  return uv.run(["python", "install", key, "--no-bin", "--install-dir", target, ...options], folder, {
    UV_PYTHON_DOWNLOADS: "manual",
    ...env,
  });
}

async function digestOfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

function refused(uv: Uv, { key, asset }: Interpreter, path: string, result: ExecResult): FerryError {
  return new FerryError(
    "PYTHON_INTERPRETER",
    `uv ${uv.version} does not take ${asset} for ${key}: ${uvWords(result.stderr)}`,
    {
      hint: "The nodes' uv would refuse it too. Build again; if it stays so, the release's archive was replaced after this uv was made: name a newer uv in FERRY_UV.",
      details: { key, asset, path },
    },
  );
}
