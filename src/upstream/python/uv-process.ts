import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { FerryError, fromFileError, isFerryError } from "../../errors.ts";
import { type ExecResult, exec } from "../../lib/exec.ts";
import { makeFolder } from "../../lib/files.ts";
import { uvWords } from "./uv-words.ts";

export interface UvOptions {
  /** Path of the binary. */
  path: string;
  /** The operator's environment; what uv is given of it `uvEnvironment` decides. */
  env: Readonly<Record<string, string | undefined>>;
  /** Ours alone, and empty at first: uv's cache and the folders that it works in. */
  folder: string;
  /** uv must open no connection. */
  offline?: boolean;
  signal?: AbortSignal;
}

/** A uv that sees of the operator's settings only those that say where the index is and how to reach it. */
export interface Uv {
  /** `0.12.23` */
  readonly version: string;
  /**
   * Addresses of wheels that it read whole, because no index gave a digest: whatever digest it writes for them is of its
   * own making (P6). What its cache has it does not read again, so they are remembered as long as the cache.
   */
  readonly unclaimed: Set<string>;
  /** Runs it in `cwd`, with `env` over the scrubbed environment. A status other than 0 is the caller's to judge. */
  run(args: readonly string[], cwd: string, env?: Readonly<Record<string, string>>): Promise<ExecResult>;
  /**
   * A Python of this machine, of whatever version: uv resolves for others with it. Looked for once, because uv would
   * try every launcher in PATH each time. Throws PYTHON_UV where there is none.
   */
  python(): Promise<string>;
  /** Gives `work` an empty folder, which is removed afterwards. */
  inFolder<T>(work: (folder: string) => Promise<T>): Promise<T>;
}

/**
 * What reaches uv of the operator's environment (P16). Whatever else begins with UV_ or PIP_ would change what is
 * resolved: further indexes, backends, constraints, dates.
 */
const ALLOWED = [
  /^(PATH|HOME|TMPDIR|NETRC)$/,
  /^UV_(DEFAULT_INDEX|KEYRING_PROVIDER|CREDENTIALS_DIR|INSECURE_HOST)$/,
  /^UV_INDEX_[A-Z0-9_]+_(USERNAME|PASSWORD)$/,
  /^UV_(HTTP_TIMEOUT|HTTP_RETRIES|SYSTEM_CERTS|NATIVE_TLS|PYTHON_DOWNLOADS_JSON_URL)$/,
  /^SSL_(CERT_FILE|CERT_DIR|CLIENT_CERT)$/,
  /^(HTTP|HTTPS|ALL|NO)_PROXY$/i,
];

export function uvEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  cacheFolder: string,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && ALLOWED.some((pattern) => pattern.test(name))) kept[name] = value;
  }
  return {
    ...kept,
    UV_NO_CONFIG: "1",
    UV_CACHE_DIR: cacheFolder,
    UV_PYTHON_DOWNLOADS: "never",
    UV_NO_PROGRESS: "1",
    NO_COLOR: "1",
  };
}

/** Asks the binary for its version. Throws PYTHON_UV where it does not run or is no uv. */
export async function openUv(options: UvOptions): Promise<Uv> {
  const { path, folder, signal } = options;
  const environment = {
    ...uvEnvironment(options.env, join(folder, "cache")),
    ...(options.offline === true ? { UV_OFFLINE: "1" } : {}),
  };
  const run: Uv["run"] = async (args, cwd, env = {}) => {
    try {
      const more = signal === undefined ? {} : { signal };
      return await exec(path, args, { env: { ...environment, ...env }, cwd, ...more });
    } catch (error) {
      if (!isFerryError(error, "FILE_UNREADABLE")) throw error;
      throw new FerryError("PYTHON_UV", error.message, { cause: error, hint: HINT });
    }
  };
  const inFolder: Uv["inFolder"] = async (work) => {
    const made = await madeFolder(folder);
    try {
      return await work(made);
    } finally {
      await rm(made, { recursive: true, force: true });
    }
  };
  const said = await inFolder((cwd) => askVersion(options, environment, cwd));
  const version = /^uv (\d+\.\d+\.\d+)\b/.exec(said.stdout)?.[1];
  if (said.code !== 0 || version === undefined) {
    const found = `${said.stdout}${said.stderr}`.trim().slice(0, 200);
    throw new FerryError("PYTHON_UV", `${path} does not say which uv it is, but: ${found}`, { hint: HINT });
  }
  let found: Promise<string> | undefined;
  const python = (): Promise<string> => {
    found ??= inFolder((cwd) => findPython(run, cwd));
    return found;
  };
  return { version, unclaimed: new Set(), run, python, inFolder };
}

/** A program that says no version within a minute is none that could be asked anything. */
async function askVersion(
  { path, signal }: UvOptions,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<ExecResult> {
  const limit = AbortSignal.timeout(VERSION_MS);
  try {
    const both = signal === undefined ? limit : AbortSignal.any([signal, limit]);
    return await exec(path, ["--version"], { env, cwd, signal: both });
  } catch (error) {
    if (!isFerryError(error) || signal?.aborted === true) throw error;
    const why = limit.aborted ? `${path} says no version within ${VERSION_MS / 1000} s` : error.message;
    throw new FerryError("PYTHON_UV", why, { cause: error, hint: HINT });
  }
}

const VERSION_MS = 60_000;

/**
 * Settings under which uv reaches no host but this one, in both spellings that programs read: all others lie behind a
 * proxy at a port that is nobody's, and fail at once.
 */
export function reachingOnly(hostname?: string): Record<string, string> {
  const settings: Record<string, string> = {
    UV_HTTP_RETRIES: "0",
    NO_PROXY: hostname ?? "",
    no_proxy: hostname ?? "",
  };
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]) {
    settings[name] = "http://127.0.0.1:0";
    settings[name.toLowerCase()] = "http://127.0.0.1:0";
  }
  return settings;
}

async function findPython(run: Uv["run"], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await run(["python", "find", "--no-project"], cwd);
  const path = stdout.trim();
  if (code === 0 && path !== "") return path;
  throw new FerryError("PYTHON_UV", `uv finds no Python on this machine: ${uvWords(stderr)}`, {
    hint: "uv needs one to resolve with, of any version and for no other purpose: install python3.",
  });
}

const HINT = "Name a uv for this machine in FERRY_UV, or leave it unset to have the carried one fetched.";

async function madeFolder(parent: string): Promise<string> {
  try {
    await makeFolder(parent);
    return await mkdtemp(join(parent, "work-"));
  } catch (error) {
    throw fromFileError(error, "make a folder in", parent, "FILE_UNWRITABLE");
  }
}
