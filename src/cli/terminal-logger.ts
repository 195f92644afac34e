import type { Clock } from "../lib/clock.ts";
import { printableLines } from "../lib/printable.ts";
import type { Logger } from "../log.ts";
import { lineProgress, terminalProgress } from "./render/progress.ts";

/** The logger of a command line: it can also print a text as it is, such as an error or help. */
export interface CliLogger extends Logger {
  plain(text: string): void;
  /** Ends a running progress display; called once, before the command returns. */
  close(): void;
}

interface ErrorStream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

/** Messages and progress on standard error: a line that redraws itself on a terminal, a line every few seconds elsewhere. */
export function terminalLogger(stream: ErrorStream, clock: Clock, verbose: boolean): CliLogger {
  const write = (text: string): void => void stream.write(text);
  const progress =
    stream.isTTY === true
      ? terminalProgress({ write, clock, columns: () => stream.columns ?? 80 })
      : lineProgress({ write, clock });
  const say = (text: string): void => {
    progress.clear();
    write(text);
  };
  // Messages name files, and say what others answered.
  const sayLines = (message: string): void => {
    say(`${printableLines(message)}\n`);
  };
  return {
    debug: (message) => {
      if (verbose) sayLines(message);
    },
    info: sayLines,
    warn: (message) => {
      sayLines(`warning: ${message}`);
    },
    progress: (event) => {
      progress.handle(event);
    },
    plain: say,
    close: () => {
      progress.close();
    },
  };
}
