import { mirrorCommand } from "../serve/servers.ts";
import type { Options } from "./options.ts";

/** What the cases share. Each starts its own servers. */
export interface Bench {
  options: Options;
  signal: AbortSignal;
  /** For whatever a case writes; removed in the end. */
  folder: string;
  /** How the mirror is started. */
  command: readonly string[];
}

export async function createBench(options: Options, folder: string, signal: AbortSignal): Promise<Bench> {
  return { options, folder, signal, command: await mirrorCommand(options.sources) };
}
