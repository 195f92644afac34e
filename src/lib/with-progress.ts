import type { Logger } from "../log.ts";

export interface Work {
  /** Of the progress events, unique within a run. */
  id: string;
  label: string;
  /** Bytes. */
  total: number;
}

/** Tells the logger of a piece of work from its start to its end, whichever way it ends. */
export async function withProgress<T>(
  logger: Logger,
  { id, label, total }: Work,
  work: (advance: (bytes: number) => void) => Promise<T>,
): Promise<T> {
  let ok = false;
  logger.progress({ kind: "start", id, label, total, done: 0 });
  try {
    const result = await work((bytes) => {
      logger.progress({ kind: "advance", id, bytes });
    });
    ok = true;
    return result;
  } finally {
    logger.progress({ kind: "end", id, ok });
  }
}
