import cluster, { type Worker } from "node:cluster";
import { fileURLToPath } from "node:url";
import type { ServeOptions } from "./options.ts";

/** The argument by which server/main.ts knows that it is one of several; the options follow it as JSON. */
export const WORKER_ARGUMENT = "--worker";

/** Makes forked processes run server/main.ts, compiled or not, as this file is. Returns their additional environment. */
export function prepareCluster(options: ServeOptions): Record<string, string> {
  const args = [WORKER_ARGUMENT, JSON.stringify(options)];
  if (!import.meta.url.endsWith(".ts")) {
    cluster.setupPrimary({ exec: fileURLToPath(new URL("main.js", import.meta.url)), args, execArgv: [] });
    return {};
  }
  const exec = fileURLToPath(new URL("main.ts", import.meta.url));
  cluster.setupPrimary({ exec, args, execArgv: ["--import", import.meta.resolve("tsx")] });
  return { TSX_TSCONFIG_PATH: fileURLToPath(new URL("../tsconfig.json", import.meta.url)) };
}

export function forkWorker(env: Readonly<Record<string, string>>): Worker {
  return cluster.fork(env);
}
