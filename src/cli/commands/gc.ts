import { collectGarbage } from "../../store/gc.ts";
import type { Context } from "../context.ts";
import type { GcFlags } from "../flags.ts";
import type { GcReport } from "../gc-report.ts";
import { answer, withStore } from "../open-store.ts";
import { renderGc } from "../render/gc.ts";

const HOUR_MS = 3_600_000;

export async function gcCommand(context: Context, flags: GcFlags): Promise<void> {
  const dryRun = flags.dryRun === true;
  const report = await withStore(context, flags, "existing", async (store): Promise<GcReport> => {
    const found = await collectGarbage(store, {
      clock: context.clock,
      dryRun,
      graceMs: flags.grace * HOUR_MS,
    });
    return { store: store.root, dryRun, graceHours: flags.grace, ...found };
  });
  await answer(context, flags, report, renderGc(report));
}
