import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type FastClock, fastClock } from "./fast-clock.ts";
import { type FerryRun, runFerry } from "./run-ferry.ts";
import { tmpDir } from "./tmp.ts";
import { upstreamForTest } from "./upstream/in-test.ts";
import type { Upstream, UpstreamOptions } from "./upstream/upstream.ts";

export interface Site {
  upstream: Upstream;
  folder: string;
  at: (name: string) => string;
  spec: (text: string) => Promise<string>;
  ferry: (...argv: string[]) => Promise<FerryRun>;
  /** Waits of the command line take no time; they are written down here. */
  clock: FastClock;
  /** Further settings for the command line. */
  env: Record<string, string>;
}

/** A practice upstream, an empty folder, and a command line that knows both. */
export async function site(options: UpstreamOptions = {}): Promise<Site> {
  const upstream = await upstreamForTest(options);
  const folder = await tmpDir();
  const at = (name: string): string => join(folder, name);
  const env: Record<string, string> = { ...upstream.env, FERRY_STORE: at("store") };
  const clock = fastClock();
  return {
    upstream,
    clock,
    env,
    folder,
    at,
    spec: async (text) => {
      await writeFile(at("spec.yaml"), text);
      return at("spec.yaml");
    },
    ferry: (...argv) => runFerry(argv, { env, cwd: folder, clock }),
  };
}
