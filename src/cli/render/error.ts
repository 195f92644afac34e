import { isFerryError } from "../../errors.ts";
import { printableLines } from "../../lib/printable.ts";

/** An error for a person at a console: what happened, then what to do. Always ends with a newline. */
export function renderError(error: unknown): string {
  if (isFerryError(error)) {
    const hint = error.hint === undefined ? "" : `\n  what to do: ${error.hint}`;
    return `${printableLines(`ferry: ${error.code}: ${error.message}${hint}`)}\n`;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `ferry: INTERNAL: this is a fault of ferry itself, not of yours\n${text}\n  what to do: report it with the command line and the text above.\n`;
}
