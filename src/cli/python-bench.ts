import { join } from "node:path";
import type { BundleDocument } from "../bundle/document.ts";
import type { PythonBench } from "../bundle/python/bench.ts";
import { openPythonBench } from "../bundle/python/open-bench.ts";
import type { Config } from "../config/load.ts";
import type { Door } from "../net/door-types.ts";
import type { LayoutStore } from "../store/layout-store.ts";
import { createResolver } from "../upstream/python/resolver.ts";
import { openUv } from "../upstream/python/uv-process.ts";
import type { Context } from "./context.ts";
import { proveClosure } from "./prove-closure.ts";
import { rememberedUrls } from "./remembered-urls.ts";

/** What resolves Python engines, and proves that a bundle of them is closed; `close` removes the uv that was fetched for it. */
export interface PythonTools extends PythonBench {
  prove: (document: BundleDocument) => Promise<void>;
  close(): Promise<void>;
}

export function pythonTools(
  context: Context,
  { config, store, door }: { config: Config; store: LayoutStore; door: Door },
  { jobs, connections }: { jobs: number; connections: number },
): PythonTools {
  const { clock, logger, signal, env, hostArch } = context;
  const folder = join(store.root, "ferry", "uv");
  const paths: string[] = [];
  const unclaimed = rememberedUrls(join(folder, "unclaimed.json"));
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
    openResolver: async (path) => {
      paths.push(path);
      const uv = await openUv({ path, env, folder, signal });
      const { torchIndexUrl } = config.python;
      return createResolver({ uv, logger, torchIndexUrl, unclaimed: await unclaimed.read() });
    },
  });
  return {
    ...bench,
    close: async () => {
      await unclaimed.write();
      await bench.close();
    },
    prove: async (document) => {
      const [path] = paths;
      if (path === undefined) throw new Error("a closure is proven with the uv that resolved it");
      await proveClosure(document, { uv: path, store, env, clock, logger, signal });
    },
  };
}
