import { destination, pino } from "pino";
import { FerryError } from "../src/errors.ts";

/** One answered request. */
export interface AccessEntry {
  client: string;
  /** Who authenticated, where that is asked for. */
  user: string | undefined;
  method: string;
  /** Without the query, which may hold what is nobody's business. */
  path: string;
  status: number;
  /** Bytes of the body. */
  bytes: number;
  /** Milliseconds from the request's arrival to the answer's end. */
  ms: number;
  range: string | undefined;
  agent: string | undefined;
  /** The client went away, or was dropped, before the answer was whole. */
  cut: boolean | undefined;
  /** Why an answer failed, for the operator. */
  failure: string | undefined;
}

/** One JSON object a line, for machines. */
export interface AccessLog {
  write(entry: AccessEntry): void;
  /** Writes what is still buffered. */
  flush(): void;
}

/** `target`: `stderr`, `off` or a file, which is appended to. Throws FILE_UNWRITABLE. */
export function openAccessLog(target: string): AccessLog {
  if (target === "off") return { write: () => undefined, flush: () => undefined };
  try {
    const stream = destination({
      dest: target === "stderr" ? 2 : target,
      sync: false,
      minLength: 0,
      mkdir: false,
    });
    // A log that can no longer be written (disk full, closed pipe) must not stop the mirror.
    stream.on("error", () => undefined);
    const logger = pino(
      { base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: "event" },
      stream,
    );
    return {
      write: (entry) => {
        logger.info(entry, "request");
      },
      flush: () => {
        try {
          stream.flushSync();
        } catch {
          // Nothing was buffered, or it cannot be written any more.
        }
      },
    };
  } catch (cause) {
    throw new FerryError("FILE_UNWRITABLE", `cannot write the access log ${target}`, {
      cause,
      hint: "Choose a file in a folder that exists with --access-log, or stderr, or off.",
    });
  }
}
