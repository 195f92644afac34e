import { createWorkspace, type Workspace } from "../build/workspace.ts";
import { mirrorCommand } from "../serve/servers.ts";
import { type CarriedEngine, carryEngine } from "./engine.ts";
import type { Options } from "./options.ts";

/** What the cases share. Each starts its own servers. */
export interface Bench {
  options: Options;
  signal: AbortSignal;
  /** For whatever a case writes; removed in the end. */
  folder: string;
  /** How the mirror is started. */
  command: readonly string[];
  /** The installed program; made when first asked for. */
  workspace: () => Promise<Workspace>;
  /** A small real engine on a mirror; made when first asked for. */
  engine: () => Promise<CarriedEngine>;
}

export async function createBench(options: Options, folder: string, signal: AbortSignal): Promise<Bench> {
  const workspace = once(() => {
    console.error("compiling and packing ferry");
    return createWorkspace(folder, signal);
  });
  const engine = once(async () => {
    const installed = await workspace();
    console.error("carrying a small real engine to a mirror");
    return carryEngine(installed);
  });
  return { options, folder, signal, command: await mirrorCommand(options.sources), workspace, engine };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
