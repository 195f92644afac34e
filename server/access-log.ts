import { closeSync, openSync } from "node:fs";
import { FerryError } from "../src/errors.ts";
import type { Clock } from "../src/lib/clock.ts";
import { openLineSink } from "./line-sink.ts";

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
  close: () => Promise<void>;
}

/** `target`: `stderr`, `off` or a file, which is appended to. Throws FILE_UNWRITABLE. */
export function openAccessLog(target: string, clock: Clock): AccessLog {
  if (target === "off") return { write: () => undefined, close: () => Promise.resolve() };
  const descriptor = target === "stderr" ? 2 : openFile(target);
  const sink = openLineSink(descriptor);
  return {
    write: (entry) => {
      const time = new Date(clock.now()).toISOString();
      sink.write(`${JSON.stringify({ event: "request", time, ...entry })}\n`);
    },
    close: async () => {
      await sink.close();
      if (descriptor !== 2) closeSync(descriptor);
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
