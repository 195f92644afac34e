import { resolve } from "node:path";
import { pinSource } from "../../bundle/pin.ts";
import { formatBytes } from "../../lib/size.ts";
import type { Context } from "../context.ts";
import type { PinFlags } from "../flags.ts";
import { withWorkbench } from "../workbench.ts";

export async function recipePinCommand(
  context: Context,
  engine: string,
  version: string,
  flags: PinFlags,
): Promise<void> {
  const report = await withWorkbench(context, flags, (bench) => {
    const { config, table } = bench;
    return pinSource({
      ...bench,
      engine,
      version,
      recipe: table.recipe(engine),
      overlay: resolve(context.cwd, config.recipeOverlay ?? config.defaultOverlay),
      githubUrl: config.github.url,
      clock: context.clock,
      logger: context.logger,
      signal: context.signal,
      random: Math.random,
    });
  });
  const words = `${report.engine} ${report.version}\n  source:    ${report.url} (${formatBytes(report.size)})\n  digest:    ${report.digest}\n  published: ${report.published}\n  pinned in: ${report.file}\n\nGitHub publishes no digest of source archives: compare this one with what you know before you rely on it.\n`;
  await context.write(flags.json === true ? `${JSON.stringify(report)}\n` : words);
}
