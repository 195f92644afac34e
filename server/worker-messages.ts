import { z } from "zod";
import { ERROR_CODES, type ErrorCode, FerryError } from "../src/errors.ts";
import { PATH_CLASSES } from "./path-class.ts";

const Code = z.custom<ErrorCode>((code) => typeof code === "string" && Object.hasOwn(ERROR_CODES, code));
const AskedList = z.array(
  z.object({ path: z.string(), class: z.enum(PATH_CLASSES), times: z.int(), last: z.number() }),
);

/** What a serving process tells the one that started it. */
export const FromWorker = z.discriminatedUnion("ferry", [
  z.object({ ferry: z.literal("listening"), url: z.string() }),
  z.object({ ferry: z.literal("failed"), code: Code, message: z.string(), hint: z.string().optional() }),
  z.object({ ferry: z.literal("asked"), entries: AskedList }),
  z.object({ ferry: z.literal("metrics"), id: z.int() }),
]);
export type FromWorker = z.infer<typeof FromWorker>;

/** What it is told. */
export const ToWorker = z.discriminatedUnion("ferry", [
  z.object({ ferry: z.literal("stop") }),
  z.object({ ferry: z.literal("asked"), entries: AskedList }),
  /** `text` is absent where not every process answered. */
  z.object({ ferry: z.literal("metrics"), id: z.int(), text: z.string().optional() }),
]);
export type ToWorker = z.infer<typeof ToWorker>;

/** An error as it crosses to the starter, which throws it again. */
export function failedMessage(error: unknown): FromWorker {
  if (!(error instanceof FerryError)) {
    const message = error instanceof Error ? error.message : String(error);
    return { ferry: "failed", code: "INTERNAL", message };
  }
  const { code, message, hint } = error;
  return { ferry: "failed", code, message, ...(hint === undefined ? {} : { hint }) };
}
