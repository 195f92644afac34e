import { availableParallelism } from "node:os";
import { scrubStore } from "../../bundle/scrub.ts";
import { EXIT } from "../../errors.ts";
import type { Context } from "../context.ts";
import type { StoreFlags } from "../flags.ts";
import { answer, withStore } from "../open-store.ts";
import { renderScrub } from "../render/scrub.ts";

/** Returns the exit code: 5 where anything is damaged or absent. */
export async function scrubCommand(context: Context, flags: StoreFlags): Promise<number> {
  const { logger, signal } = context;
  const report = await withStore(context, flags, "existing", (store) =>
    scrubStore(store, { concurrency: availableParallelism(), logger, signal }),
  );
  await answer(context, flags, report, renderScrub(report));
  return report.damaged.length + report.unreadable.length === 0 ? EXIT.ok : EXIT.verification;
}
