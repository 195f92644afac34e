import { printableLines } from "../../lib/printable.ts";
import { redactText } from "../../lib/redact.ts";

/** More of uv's words than this helps nobody. */
const LONGEST = 1500;

/** From its first error on, without warnings and log lines, addresses without what nobody should read. */
export function uvWords(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => !/^(warning:|DEBUG |TRACE |Resolved )/.test(line));
  const from = lines.findIndex((line) => line.startsWith("error:"));
  const said = lines
    .slice(Math.max(from, 0))
    .join("\n")
    .replace(/^error: /, "")
    .replaceAll("`", "'")
    .replace(/\n{2,}/g, "\n")
    .trim();
  const safe = printableLines(redactText(said));
  return safe.length > LONGEST ? `${safe.slice(0, LONGEST)}…` : safe;
}
