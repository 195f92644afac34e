import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { BundleDocument } from "../bundle/document.ts";
import type { PythonBench } from "../bundle/python/bench.ts";
import { openPythonBench } from "../bundle/python/open-bench.ts";
import type { Config } from "../config/load.ts";
import { makeFolder } from "../lib/files.ts";
import type { Door } from "../net/door-types.ts";
import type { LayoutStore } from "../store/layout-store.ts";
import { createResolver } from "../upstream/python/resolver.ts";
import { openUv } from "../upstream/python/uv-process.ts";
import type { Context } from "./context.ts";
import { proveClosure } from "./prove-closure.ts";

/** What resolves Python engines, and proves that a bundle of them is closed; `close` removes all that it made for this run. */
export interface PythonTools extends PythonBench {
  prove: (document: BundleDocument) => Promise<void>;
  close: () => Promise<void>;
}

/** No run takes as long; what is older was left by one that was killed. Milliseconds. */
const ABANDONED_MS = 24 * 3_600_000;

export function pythonTools(
  context: Context,
  { config, store, door }: { config: Config; store: LayoutStore; door: Door },
  { jobs, connections }: { jobs: number; connections: number },
): PythonTools {
  const { clock, logger, signal, env, hostArch } = context;
  const { offline } = config;
  const parent = join(store.root, "ferry", "uv");
  const paths: string[] = [];
  let made: Promise<string> | undefined;
  // A cache for each run: what an earlier one left there, nobody could vouch for (P6).
  const folder = (): Promise<string> => {
    made ??= runFolder(parent, clock.now());
    return made;
  };
  const bench = openPythonBench({
    store,
    door,
    clock,
    logger,
    signal,
    jobs,
    connections,
    hostArch,
    random: Math.random,
    uv: config.python.uv,
    folder,
    openResolver: async (path) => {
      paths.push(path);
      const uv = await openUv({ path, env, folder: await folder(), offline, signal });
      return createResolver({ uv, logger, torchIndexUrl: config.python.torchIndexUrl });
    },
  });
  return {
    ...bench,
    prove: async (document) => {
      const [path] = paths;
      if (path === undefined) return;
      await proveClosure(document, { uv: path, folder: await folder(), store, env, clock, logger, signal });
    },
    close: async () => {
      if (made !== undefined) await rm(await made, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

async function runFolder(parent: string, now: number): Promise<string> {
  await makeFolder(parent);
  for (const name of await readdir(parent)) {
    const found = await stat(join(parent, name)).catch(() => undefined);
    if (found !== undefined && now - found.mtimeMs > ABANDONED_MS) {
      await rm(join(parent, name), { recursive: true, force: true, maxRetries: 3 });
    }
  }
  return mkdtemp(join(parent, "run-"));
}
