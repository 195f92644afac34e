import { serveOptions } from "../../../server/options.ts";
import { serve } from "../../../server/serve.ts";
import type { Context } from "../context.ts";
import type { ServeFlags } from "../flags.ts";

export async function serveCommand(context: Context, flags: ServeFlags): Promise<void> {
  const { logger, signal, clock, env, cwd } = context;
  await serve(serveOptions(flags, env, cwd), { signal, logger, clock, write: (text) => context.write(text) });
}
