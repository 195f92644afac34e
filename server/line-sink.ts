import { write } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** Takes lines for a file, a pipe or a terminal without ever holding up who writes them. */
export interface LineSink {
  write(line: string): void;
  /** Resolves when everything is written that can be. The descriptor stays open. */
  close: () => Promise<void>;
}

/** A write for each line costs more than most answers, so lines are gathered, for a second at most. */
const GATHERED = 16 * 1024;
const GATHER_MS = 1000;
/** What is kept for a reader that does not read, or a disk that is full; what comes then is lost, and counted. */
const KEPT = 4 * 1024 * 1024;
const RETRY_MS = 50;

/**
 * Writes lines to a descriptor, in order and as a whole. One that cannot be written (a full disk, a closed pipe) loses
 * lines and says how many in the next that can; it never stops the mirror.
 */
export function openLineSink(descriptor: number): LineSink {
  let lines: string[] = [];
  let size = 0;
  let lost = 0;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    running ??= writeOut().finally(() => {
      running = undefined;
      if (size > 0 && !closed) arm();
    });
    return running;
  };
  const arm = (): void => {
    timer ??= setTimeout(() => void flush(), GATHER_MS).unref();
  };
  const writeOut = async (): Promise<void> => {
    while (size > 0) {
      const gathered = lines;
      lines = [];
      size = 0;
      if (lost > 0) gathered.push(`{"event":"lost","lines":${lost}}\n`);
      const done = await writeAll(descriptor, Buffer.from(gathered.join("")), () => closed);
      lost = done ? 0 : lost + gathered.length;
    }
  };
  return {
    write: (line) => {
      if (closed || size > KEPT) {
        lost++;
        return;
      }
      lines.push(line);
      size += line.length;
      if (size >= GATHERED) void flush();
      else arm();
    },
    close: async () => {
      closed = true;
      await running;
      await flush();
    },
  };
}

/** False where it could not be written. A full pipe is waited for, unless there is no more time. */
async function writeAll(descriptor: number, bytes: Buffer, isHurried: () => boolean): Promise<boolean> {
  let at = 0;
  while (at < bytes.length) {
    const written = await writeSome(descriptor, bytes.subarray(at));
    if (written === undefined || (written === 0 && isHurried())) return false;
    if (written === 0) await delay(RETRY_MS, undefined, { ref: false });
    at += written;
  }
  return true;
}

function writeSome(descriptor: number, bytes: Buffer): Promise<number | undefined> {
  return new Promise((resolve) => {
    write(descriptor, bytes, 0, bytes.length, null, (error, written) => {
      if (error === null) resolve(written);
      else resolve(error.code === "EAGAIN" ? 0 : undefined);
    });
  });
}
