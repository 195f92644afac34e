import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { interrupted } from "../errors.ts";
import { type Digest, digestFromHex } from "./digest.ts";
import { HASH_WORKER } from "./hash-worker.ts";

/** Threads that hash byte ranges of files, as fast as openssl each. They start when first needed and keep no process alive. */
export interface HashPool {
  /**
   * SHA-256 of `length` bytes of the file from `start` on.
   * Throws ShortRangeError where the file ends earlier, else what opening or reading it threw (an Error with a `code`).
   */
  hashRange(path: string, start: number, length: number): Promise<Digest>;
  /** Ends the threads. Work still running rejects with INTERRUPTED. */
  close(): Promise<void>;
}

/** The file ended `missing` bytes before the range did. */
export class ShortRangeError extends Error {
  override readonly name = "ShortRangeError";
  readonly missing: number;

  constructor(path: string, missing: number) {
    super(`${path} ends ${missing} bytes too early`);
    this.missing = missing;
  }
}

interface Job {
  path: string;
  start: number;
  length: number;
  resolve(digest: Digest): void;
  reject(error: Error): void;
}

type Answer = { hex: string } | { missing: number } | { code: string; message: string };

/** `threads` defaults to the processors that this process may use. */
export function createHashPool(threads: number = availableParallelism()): HashPool {
  const idle: Worker[] = [];
  const running = new Map<Worker, Job>();
  const waiting: Job[] = [];
  let closed = false;

  const fail = (worker: Worker, error: Error): void => {
    const job = running.get(worker);
    running.delete(worker);
    const at = idle.indexOf(worker);
    if (at >= 0) idle.splice(at, 1);
    job?.reject(error);
    next();
  };
  const start = (): Worker => {
    const worker = new Worker(HASH_WORKER, { eval: true, execArgv: [], stdin: false });
    worker.on("message", (answer: Answer) => {
      const job = running.get(worker);
      running.delete(worker);
      // An idle thread must not keep the process alive; a working one must, for a promise alone does not.
      worker.unref();
      idle.push(worker);
      if (job !== undefined) settle(job, answer);
      next();
    });
    worker.on("error", (error: unknown) => {
      fail(worker, error instanceof Error ? error : new Error(String(error)));
    });
    worker.on("exit", () => {
      fail(worker, interrupted("hashing"));
    });
    return worker;
  };
  const next = (): void => {
    while (!closed && waiting.length > 0 && (idle.length > 0 || running.size < threads)) {
      const worker = idle.pop() ?? start();
      const job = waiting.shift();
      if (job === undefined) return;
      running.set(worker, job);
      worker.ref();
      worker.postMessage({ path: job.path, start: job.start, length: job.length });
    }
  };

  return {
    hashRange: (path, start, length) =>
      new Promise<Digest>((resolve, reject) => {
        if (closed) {
          reject(interrupted("hashing"));
          return;
        }
        waiting.push({ path, start, length, resolve, reject });
        next();
      }),
    close: async () => {
      closed = true;
      for (const job of waiting.splice(0)) job.reject(interrupted("hashing"));
      await Promise.all([...idle, ...running.keys()].map((worker) => worker.terminate()));
    },
  };
}

function settle(job: Job, answer: Answer): void {
  if ("hex" in answer) job.resolve(digestFromHex(answer.hex));
  else if ("missing" in answer) job.reject(new ShortRangeError(job.path, answer.missing));
  else job.reject(Object.assign(new Error(answer.message), { code: answer.code }));
}
