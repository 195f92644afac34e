/** Where the program speaks to people. Standard output carries answers alone, so all of this goes to standard error. */
export interface Logger {
  /** Details for `--verbose`. */
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  /** Progress of running downloads, hashing and packing; the sink decides how often it shows. */
  progress(event: ProgressEvent): void;
}

/** One step of a running piece of work, identified by `id` (unique within a run). Sizes are bytes. */
export type ProgressEvent =
  | { kind: "start"; id: string; label: string; total: number; done: number }
  | { kind: "advance"; id: string; bytes: number }
  /** The work on `id` begins again from `done` (a server ignored a range, a digest did not match). */
  | { kind: "rewind"; id: string; done: number }
  | { kind: "end"; id: string; ok: boolean };

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  progress: () => undefined,
};
