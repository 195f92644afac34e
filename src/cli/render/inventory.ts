import type { InventoryReport } from "../../bundle/inventory.ts";

/** One digest a line and nothing else, so that any tool can compare two of them. */
export function renderInventory({ contents }: InventoryReport): string {
  return contents.map(({ digest }) => `${digest}\n`).join("");
}
