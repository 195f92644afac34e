import { closeSync, openSync } from "node:fs";
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
  /** Writes what is still buffered, and ends. */
  close: () => void;
}

/** A write for each line costs more than most answers, so lines are gathered, for a second at most. */
const GATHERED = 8 * 1024;
const FLUSH_MS = 1000;

/** `target`: `stderr`, `off` or a file, which is appended to. Throws FILE_UNWRITABLE. */
export function openAccessLog(target: string): AccessLog {
  if (target === "off") return { write: () => undefined, close: () => undefined };
  const descriptor = target === "stderr" ? 2 : openFile(target);
  const stream = destination({
    dest: descriptor,
    sync: false,
    minLength: GATHERED,
    periodicFlush: FLUSH_MS,
  });
  // A log that can no longer be written (disk full, closed pipe) must not stop the mirror.
  stream.on("error", () => undefined);
  const logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: "event" }, stream);
  return {
    write: (entry) => {
      logger.info(entry, "request");
    },
    close: () => {
      try {
        stream.flushSync();
        if (descriptor !== 2) closeSync(descriptor);
      } catch {
        // It cannot be written any more, so nothing is lost by leaving it.
      }
    },
  };
}

function openFile(path: string): number {
  try {
    return openSync(path, "a", 0o640);
  } catch (cause) {
    throw new FerryError("FILE_UNWRITABLE", `cannot write the access log ${path}`, {
      cause,
      hint: "Choose a file in a folder that exists with --access-log, or stderr, or off.",
    });
  }
}
