import { closeSync, openSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
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
  /** A request has come whose entry will be written. */
  begin(): void;
  write(entry: AccessEntry): void;
  /** Waits for the entries that were begun, a moment at most, writes what is still buffered, and ends. */
  close: () => Promise<void>;
}

/** How long the entries of answers that have ended may take. */
const LAST_ENTRIES_MS = 1000;

/** `target`: `stderr`, `off` or a file, which is appended to. Throws FILE_UNWRITABLE. */
export function openAccessLog(target: string, clock: Clock): AccessLog {
  if (target === "off") {
    return { begin: () => undefined, write: () => undefined, close: () => Promise.resolve() };
  }
  const descriptor = target === "stderr" ? 2 : openFile(target);
  const sink = openLineSink(descriptor);
  let begun = 0;
  let allWritten: () => void = () => undefined;
  return {
    begin: () => {
      begun++;
    },
    write: (entry) => {
      const time = new Date(clock.now()).toISOString();
      sink.write(`${JSON.stringify({ event: "request", time, ...entry })}\n`);
      if (--begun === 0) allWritten();
    },
    close: async () => {
      // The last answer's entry is written after its connection has closed, which is when the server counts as closed.
      if (begun > 0) {
        await Promise.race([
          new Promise<void>((done) => (allWritten = done)),
          delay(LAST_ENTRIES_MS, undefined, { ref: false }),
        ]);
      }
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
