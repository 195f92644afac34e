import { resolve } from "node:path";
import { makeLock, renderLock } from "../../bundle/lock.ts";
import { makePlan } from "../../bundle/plan.ts";
import { reportPlan } from "../../bundle/plan-report.ts";
import { isLockFile, requireReplaceable } from "../../bundle/replaceable.ts";
import { readSpec } from "../../bundle/spec.ts";
import { EXIT, FerryError } from "../../errors.ts";
import { writeFileAtomic } from "../../lib/files.ts";
import type { Context } from "../context.ts";
import { findSpec } from "../find-spec.ts";
import type { PlanFlags } from "../flags.ts";
import { renderPlan } from "../render/plan.ts";
import { withWorkbench } from "../workbench.ts";

/** Prints the plan also where builds are missing, and says so by the exit code; a lock is only written of a whole plan. */
export async function planCommand(context: Context, name: string, flags: PlanFlags): Promise<number> {
  const spec = await readSpec(await findSpec(context, name));
  if (flags.writeLock !== undefined) {
    await requireReplaceable(resolve(context.cwd, flags.writeLock), "lock", isLockFile);
  }
  return withWorkbench(context, flags, async ({ config, table, releases, store, python }) => {
    const plan = await makePlan({
      spec,
      table,
      releases,
      githubUrl: config.github.url,
      logger: context.logger,
      python,
    });
    const report = await reportPlan(plan, store);
    await context.write(flags.json === true ? `${JSON.stringify(report)}\n` : renderPlan(report));
    const gaps = plan.missing.length > 0 && flags.allowMissing !== true;
    if (flags.writeLock === undefined) return gaps ? EXIT.upstream : EXIT.ok;
    if (gaps) {
      throw new FerryError(
        "UPSTREAM_MISSING_ASSETS",
        `no lock was written: upstream lacks ${plan.missing.length} of the builds`,
        {
          hint: "Leave them out of the spec, or give --allow-missing here and to build.",
        },
      );
    }
    const path = resolve(context.cwd, flags.writeLock);
    await writeFileAtomic(path, renderLock(makeLock(plan)));
    context.logger.info(`wrote ${path}`);
    return EXIT.ok;
  });
}
