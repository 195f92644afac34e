import { printable } from "../../src/lib/printable.ts";

const PLAIN = /^[A-Za-z0-9._+:@%/=,-]+$/;

/**
 * Text as one word of a shell command that people copy. What a page cannot show as it is (control characters) is spelled
 * out, so that nothing is pasted that was not seen.
 */
export function shellWord(text: string): string {
  const seen = printable(text);
  return PLAIN.test(seen) ? seen : `'${seen.replaceAll("'", "'\\''")}'`;
}
