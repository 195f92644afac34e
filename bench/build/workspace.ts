import { readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isBuildFresh } from "../../scripts/source-stamp.mjs";
import { type Ran, type RunOptions, run, shell } from "./command.ts";
import type { Sample } from "./rounds.ts";

const packageRoot = new URL("../../", import.meta.url);
const METER = new URL("./drivers/meter.mjs", import.meta.url);

/** A temporary folder with the product in it as somebody has it who installed it, and ways to run things there. */
export interface Workspace {
  at: (name: string) => string;
  /** Path of the installed program. */
  ferry: string;
  /** Folder of the compiled modules. */
  dist: string;
  signal: AbortSignal;
  run: (script: string, env?: RunOptions["env"]) => Promise<Ran>;
  /** Runs a program of Node and measures its memory and writes as well. */
  node: (
    words: readonly string[],
    options?: { env?: RunOptions["env"]; cpus?: readonly number[] },
  ) => Promise<Sample & Ran>;
  /** Has the system write out what earlier runs left to be written. */
  settle: () => Promise<void>;
  remove: (...names: string[]) => Promise<void>;
}

/** Compiles and packs the product and unpacks it in `folder`. */
export async function createWorkspace(folder: string, signal: AbortSignal): Promise<Workspace> {
  const at = (name: string): string => join(folder, name);
  const runHere = (script: string, env?: RunOptions["env"]): Promise<Ran> =>
    run(script, { signal, cwd: folder, env: { HOME: folder, ...env } });
  await install(at, runHere);
  return {
    at,
    ferry: at("package/bin/ferry.mjs"),
    dist: at("package/dist"),
    signal,
    run: runHere,
    node: async (words, { env, cpus } = {}) => {
      const pin = cpus === undefined ? [] : ["taskset", "-c", cpus.join(",")];
      const program = [...pin, process.execPath, "--import", METER.href, ...words];
      const ran = await runHere(shell(program), { ...env, FERRY_BENCH_METER: at("meter.json") });
      return {
        ...ran,
        ...(JSON.parse(await readFile(at("meter.json"), "utf8")) as { peak: number; written: number }),
      };
    },
    settle: async () => {
      await runHere(shell(["sync", "--file-system", folder]));
    },
    remove: async (...names) => {
      for (const name of names) await rm(at(name), { recursive: true, force: true });
    },
  };
}

async function install(at: Workspace["at"], runHere: Workspace["run"]): Promise<void> {
  const root = fileURLToPath(packageRoot);
  if (!isBuildFresh(packageRoot)) await runHere(shell([process.execPath, join(root, "scripts/build.mjs")]));
  const packed = await runHere(
    `cd ${shell([root])} && npm pack --json --pack-destination ${shell([at(".")])}`,
  );
  const [made] = JSON.parse(packed.stdout) as { filename: string }[];
  if (made === undefined) throw new Error("npm pack made no package");
  await runHere(shell(["tar", "-xzf", made.filename]));
  await symlink(join(root, "node_modules"), at("package/node_modules"));
}

/** A program under `drivers`, as a path. */
export function driver(name: "fetch" | "pack"): string {
  return fileURLToPath(new URL(`./drivers/${name}.mjs`, import.meta.url));
}

export function moduleUrl(workspace: Workspace): string {
  return pathToFileURL(`${workspace.dist}/`).href;
}
