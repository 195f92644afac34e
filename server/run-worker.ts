import { AggregatorRegistry } from "prom-client";
import type { Clock } from "../src/lib/clock.ts";
import type { Logger } from "../src/log.ts";
import { type Asked, type AskedRing, createAskedRing } from "./asked-ring.ts";
import type { Metrics } from "./metrics.ts";
import type { ServeOptions } from "./options.ts";
import { loadRouteModules } from "./route-modules.ts";
import { runProcess, type Serving } from "./run-process.ts";
import { type FromWorker, failedMessage, ToWorker } from "./worker-messages.ts";

/** The parts of a process that a worker needs. */
export interface WorkerProcess {
  send(message: FromWorker): void;
  onMessage(listener: (message: unknown) => void): void;
  /** The starter is gone, so nobody would stop this process. */
  onOrphaned(listener: () => void): void;
  exit(code: number): void;
}

const SHARE_MS = 1000;
const METRICS_MS = 6000;

/** One of several serving processes. It speaks with the one that started it, and stops when that says so or is gone. */
export async function runWorker(
  options: ServeOptions,
  process: WorkerProcess,
  { clock, logger }: { clock: Clock; logger: Logger },
): Promise<void> {
  const asked = createAskedRing();
  const sharing = share(asked, process);
  const metrics = collect(process, clock);
  let serving: Serving | undefined;
  const stop = async (): Promise<void> => {
    await serving?.stop();
    process.exit(0);
  };
  process.onOrphaned(() => void stop());
  process.onMessage((raw) => {
    const message = ToWorker.safeParse(raw);
    if (!message.success) return;
    if (message.data.ferry === "stop") void stop();
    else if (message.data.ferry === "asked") sharing.receive(message.data.entries);
    else metrics.receive(message.data.id, message.data.text);
  });
  try {
    serving = await runProcess(options, {
      clock,
      logger,
      routes: await loadRouteModules(),
      asked: sharing.ring,
      joinMetrics: metrics.join,
    });
    process.send({ ferry: "listening", url: serving.url });
  } catch (error) {
    process.send(failedMessage(error));
  }
}

/** A ring whose records reach the other processes too, gathered: a flood of misses is a message a second. */
function share(
  ring: AskedRing,
  process: WorkerProcess,
): { ring: AskedRing; receive(entries: readonly Asked[]): void } {
  let batch = createAskedRing();
  setInterval(() => {
    const entries = [...batch.recent()].reverse();
    if (entries.length === 0) return;
    batch = createAskedRing();
    process.send({ ferry: "asked", entries });
  }, SHARE_MS).unref();
  return {
    ring: {
      record: (path, kind, at, times) => {
        ring.record(path, kind, at, times);
        batch.record(path, kind, at, times);
      },
      recent: () => ring.recent(),
      get version() {
        return ring.version;
      },
    },
    receive: (entries) => {
      for (const entry of entries) ring.record(entry.path, entry.class, entry.last, entry.times);
    },
  };
}

/** Metrics of all processes, put together by the one that started them; this one's alone where it does not answer. */
function collect(
  process: WorkerProcess,
  clock: Clock,
): {
  join: (metrics: Metrics) => () => Promise<string>;
  receive: (id: number, text: string | undefined) => void;
} {
  const waiting = new Map<number, (text: string | undefined) => void>();
  let last = 0;
  return {
    join: ({ registry }) => {
      // Its constructor makes this process answer when the starter's registry asks for metrics.
      new AggregatorRegistry();
      AggregatorRegistry.setRegistries([registry]);
      return async () => {
        const id = ++last;
        const answered = new Promise<string | undefined>((resolve) => waiting.set(id, resolve));
        process.send({ ferry: "metrics", id });
        const patience = new AbortController();
        const late = clock.sleep(METRICS_MS, patience.signal).catch(() => undefined);
        const text = await Promise.race([answered, late]);
        patience.abort();
        waiting.delete(id);
        return text ?? registry.metrics();
      };
    },
    receive: (id, text) => waiting.get(id)?.(text),
  };
}
