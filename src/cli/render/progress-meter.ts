import { formatBytes, formatDuration } from "../../lib/size.ts";
import type { ProgressEvent } from "../../log.ts";

/** The rate is that of the last seconds: what it is now, not what it was on average. Milliseconds. */
const RATE_WINDOW_MS = 10_000;
const SAMPLE_EVERY_MS = 250;

interface Task {
  label: string;
  total: number;
  done: number;
  running: boolean;
}

/** Sums running work up. Begins anew when work starts after all before it has ended. */
export interface ProgressMeter {
  note(event: ProgressEvent, now: number): void;
  /** Nothing is running. */
  readonly idle: boolean;
  /** `2 of 5 files, 1.41 GB of 2.10 GB, 35.2 MB/s, 20 s left`; what is running by name where it is one. */
  describe(now: number): string;
}

export function createMeter(): ProgressMeter {
  const tasks = new Map<string, Task>();
  let samples: { at: number; bytes: number }[] = [];
  let received = 0;

  const running = (): Task[] => [...tasks.values()].filter((task) => task.running);
  const sample = (now: number): void => {
    const last = samples.at(-1);
    if (last !== undefined && now - last.at < SAMPLE_EVERY_MS) return;
    samples = [...samples.filter(({ at }) => now - at <= RATE_WINDOW_MS), { at: now, bytes: received }];
  };

  const begin = (event: ProgressEvent & { kind: "start" }): void => {
    if (running().length === 0) {
      tasks.clear();
      samples = [];
      received = 0;
    }
    tasks.set(event.id, { label: event.label, total: event.total, done: event.done, running: true });
  };

  const change = (event: Exclude<ProgressEvent, { kind: "start" }>): void => {
    const task = tasks.get(event.id);
    if (task === undefined) return;
    if (event.kind === "rewind") task.done = event.done;
    else if (event.kind === "end") task.running = false;
    else {
      task.done += event.bytes;
      received += event.bytes;
    }
  };

  return {
    note(event, now) {
      if (event.kind === "start") begin(event);
      else change(event);
      sample(now);
    },
    get idle() {
      return running().length === 0;
    },
    describe: (now) => describeTasks([...tasks.values()], rateOf(samples, received, now)),
  };
}

/** Bytes a second over the window, or undefined while there is too little to tell. */
function rateOf(
  samples: readonly { at: number; bytes: number }[],
  received: number,
  now: number,
): number | undefined {
  const first = samples.find(({ at }) => now - at <= RATE_WINDOW_MS) ?? samples.at(-1);
  if (first === undefined || now - first.at < SAMPLE_EVERY_MS) return undefined;
  return ((received - first.bytes) / (now - first.at)) * 1000;
}

function describeTasks(tasks: readonly Task[], rate: number | undefined): string {
  const done = tasks.reduce((sum, task) => sum + task.done, 0);
  const total = tasks.reduce((sum, task) => sum + Math.max(task.total, task.done), 0);
  const ended = tasks.filter((task) => !task.running).length;
  const [only] = tasks;
  const what = tasks.length === 1 && only !== undefined ? only.label : `${ended} of ${tasks.length} files`;
  const parts = [what, `${formatBytes(done)} of ${formatBytes(total)}`];
  if (rate !== undefined) parts.push(`${formatBytes(rate)}/s`);
  if (rate !== undefined && rate > 0 && total > done) {
    parts.push(`${formatDuration((total - done) / rate)} left`);
  }
  return parts.join(", ");
}
