import { z } from "zod";
import { printable } from "../lib/printable.ts";

/** The value of `schema` in a small JSON file, or a sentence that begins with `what` and says why it is none. */
export function parseMetadata<T>(schema: z.ZodType<T>, bytes: Buffer, what: string): T | string {
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString("utf8"));
  } catch {
    return `${what} is not JSON`;
  }
  const parsed = schema.safeParse(json);
  return parsed.success
    ? parsed.data
    : `${what} is malformed: ${printable(z.prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, " "))}`;
}
