import { listBundles } from "../../bundle/store-bundles.ts";
import type { Context } from "../context.ts";
import type { StoreFlags } from "../flags.ts";
import { answer, withStore } from "../open-store.ts";
import { renderBundles } from "../render/bundles.ts";

export async function bundlesCommand(context: Context, flags: StoreFlags): Promise<void> {
  const report = await withStore(context, flags, "existing", listBundles);
  await answer(context, flags, report, renderBundles(report));
}
