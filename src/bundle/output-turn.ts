import { readdir, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { digestOf, hexOf } from "../lib/digest.ts";
import { isTemporaryOf } from "../lib/files.ts";
import type { Logger } from "../log.ts";
import type { LayoutStore } from "../store/layout-store.ts";

/**
 * Runs `work`, which writes `output`, as the only one of this store that does. So what lies half written beside the output
 * was left by a run that was killed, and goes first: bundles are large, and the next one needs the space.
 * Throws STORE_BUSY where another run writes there now.
 */
export async function inOutputTurn<T>(
  store: LayoutStore,
  output: string,
  logger: Logger,
  work: () => Promise<T>,
): Promise<T> {
  const path = resolve(output);
  const turn = await store.lock(`output-${hexOf(digestOf(path)).slice(0, 16)}`, `writing ${path}`);
  try {
    await removeAbandoned(path, logger);
    return await work();
  } finally {
    await turn.release();
  }
}

async function removeAbandoned(path: string, logger: Logger): Promise<void> {
  const folder = dirname(path);
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => isTemporaryOf(one, path))) {
    logger.info(`removing ${join(folder, name)}, which a run that was ended left half written`);
    await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined);
  }
}
