import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Config, loadConfig } from "../config/load.ts";
import { basicAuthorization, parseNetrc } from "../config/netrc.ts";
import { createDoor } from "../net/door.ts";
import type { Door } from "../net/door-types.ts";
import { createResponseCache } from "../net/response-cache.ts";
import { loadTable, type RecipeTable } from "../recipe/load.ts";
import { type LayoutStore, openLayoutStore } from "../store/layout-store.ts";
import { githubReleases } from "../upstream/github-client.ts";
import type { Releases } from "../upstream/releases.ts";
import type { Context } from "./context.ts";
import type { BuildFlags, UpstreamFlags } from "./flags.ts";
import { type PythonTools, pythonTools } from "./python-tools.ts";

/** What commands that talk to upstream work with; `close` ends its connections. */
export interface Workbench {
  config: Config;
  table: RecipeTable;
  store: LayoutStore;
  door: Door;
  releases: Releases;
  python: PythonTools;
}

/** Milliseconds. A minute of silence within a transfer is a stall; no transfer has a limit of its own. */
const TIMEOUTS = { connect: 20_000, idle: 60_000 };

/** Opens store, table and door as flags and environment say, and closes the door after `work`, whatever happens. */
export async function withWorkbench<T>(
  context: Context,
  flags: UpstreamFlags & Partial<Pick<BuildFlags, "jobs" | "connections">>,
  work: (bench: Workbench) => Promise<T>,
): Promise<T> {
  const config = loadConfig(context.env, flags);
  const table = await openTable(context, config);
  const store = await openLayoutStore(resolve(context.cwd, config.storeRoot));
  const { token } = config.github;
  const door = createDoor({
    offline: config.offline,
    ...(token === undefined ? {} : { credentials: { origin: new URL(config.github.apiUrl).origin, token } }),
    otherCredentials: await indexCredentials(context, config),
    insecureOrigins: config.insecureOrigins,
    proxy: config.proxy,
    userAgent: `engine-ferry/${context.version}`,
    timeouts: TIMEOUTS,
  });
  const releases = githubReleases({
    door,
    apiUrl: config.github.apiUrl,
    githubUrl: config.github.url,
    cache: createResponseCache(join(store.root, "ferry", "responses"), token),
    clock: context.clock,
    logger: context.logger,
    random: Math.random,
    signal: context.signal,
  });
  const { jobs = 4, connections = 8 } = flags;
  const python = pythonTools(context, { config, store, door }, { jobs, connections });
  try {
    return await work({ config, table, store, door, releases, python });
  } finally {
    try {
      await python.close();
    } finally {
      await door.close();
    }
  }
}

/**
 * What the files of a private package index are asked with, as uv does it: its own user and password, else what a netrc file
 * has for the host. GitHub's hosts have a token of their own, and are left out.
 */
async function indexCredentials(
  context: Context,
  { python, github }: Config,
): Promise<(target: URL) => string | undefined> {
  const home = context.env["HOME"] ?? "";
  const netrc = parseNetrc(await readFile(python.netrc ?? join(home, ".netrc"), "utf8").catch(() => ""));
  const hubs = [github.url, github.apiUrl].map((base) => new URL(base).hostname);
  return ({ origin, hostname }) => {
    if (origin === python.credentials?.origin) return python.credentials.authorization;
    const found = hubs.includes(hostname) ? undefined : netrc.get(hostname);
    return found === undefined ? undefined : basicAuthorization(found.login, found.password);
  };
}

/** The recipe table: built-in recipes under the operator's overlay. */
export function openTable(context: Context, config: Config): Promise<RecipeTable> {
  const overlay = config.recipeOverlay === undefined ? undefined : resolve(context.cwd, config.recipeOverlay);
  return loadTable({ builtin: join(context.packageRoot, "bundles", "engines"), overlay });
}
