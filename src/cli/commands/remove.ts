import { removeBundles } from "../../bundle/store-bundles.ts";
import type { Context } from "../context.ts";
import type { StoreFlags } from "../flags.ts";
import { answer, withStore } from "../open-store.ts";
import { renderRemove } from "../render/bundles.ts";

export async function removeCommand(context: Context, bundle: string, flags: StoreFlags): Promise<void> {
  const report = await withStore(context, flags, "existing", (store) => removeBundles(store, bundle));
  await answer(context, flags, report, renderRemove(report));
}
