import { takeInventory } from "../../bundle/inventory.ts";
import type { Context } from "../context.ts";
import type { StoreFlags } from "../flags.ts";
import { answer, withStore } from "../open-store.ts";
import { renderInventory } from "../render/inventory.ts";

export async function inventoryCommand(context: Context, flags: StoreFlags): Promise<void> {
  const report = await withStore(context, flags, "existing", (store) => takeInventory(store, context.logger));
  await answer(context, flags, report, renderInventory(report));
}
