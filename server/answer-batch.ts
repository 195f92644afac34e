/** Runs what is handed in during one turn of the event loop together, at its end. */
export type Batch = (task: () => void) => void;

/**
 * Answers that cost next to nothing are written one after the other, when all requests that had come are read: a client
 * that waits is then woken once for many of them, and not by each. To wake it is dearer than to make the answer (a third
 * of all processor time of small answers, measured). Nobody waits for longer than the requests that came at the same
 * time take to be read.
 *
 * A task that throws leaves the others to the next turn, so one fault is one request's.
 */
export function createBatch(schedule: (run: () => void) => void = setImmediate): Batch {
  let waiting: (() => void)[] = [];
  const run = (): void => {
    const tasks = waiting;
    waiting = [];
    let done = 0;
    try {
      for (const task of tasks) {
        done++;
        task();
      }
    } finally {
      for (const left of tasks.slice(done)) add(left);
    }
  };
  const add = (task: () => void): void => {
    if (waiting.push(task) === 1) schedule(run);
  };
  return add;
}
