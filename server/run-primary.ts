import type { Worker } from "node:cluster";
import { once } from "node:events";
import { AggregatorRegistry } from "prom-client";
import { FerryError } from "../src/errors.ts";
import type { Clock } from "../src/lib/clock.ts";
import type { Logger } from "../src/log.ts";
import { forkWorker, prepareCluster } from "./fork-worker.ts";
import type { ServeOptions } from "./options.ts";
import { FromWorker, type ToWorker } from "./worker-messages.ts";

interface PrimaryParts {
  signal: AbortSignal;
  clock: Clock;
  logger: Logger;
  /** Called once, when every process accepts connections. */
  onListening: (url: string) => Promise<void>;
}

const RESTART_MS = 1000;
/** What lives shorter than this has not started: after a few of those, starting it again will not help either. */
const EARLY_MS = 10_000;
const EARLY_DEATHS = 5;
/** What a process may take for stopping beyond its drain. */
const GRACE_MS = 5000;

/** Starts `workers` processes that share the address, replaces those that die, and stops all when the signal says so. */
export async function runPrimary(options: ServeOptions, parts: PrimaryParts): Promise<void> {
  const { signal, clock, logger } = parts;
  const env = prepareCluster(options);
  const running = new Set<Worker>();
  const ending = new AbortController();
  let early = 0;
  let fail: (error: FerryError) => void = () => undefined;
  const failed = new Promise<FerryError>((resolve) => {
    fail = resolve;
  });
  const receive = createReceiver(running, options.workers, parts.onListening, (error) => {
    fail(error);
  });

  const replace = (worker: Worker, why: string, age: number): void => {
    if (ending.signal.aborted) return;
    logger.warn(`serving process ${worker.id} ended (${why}); another takes its place`);
    early = age < EARLY_MS ? early + 1 : 0;
    if (early < EARLY_DEATHS) void clock.sleep(RESTART_MS, ending.signal).then(start, () => undefined);
    else fail(new FerryError("INTERNAL", `serving processes end as they start, ${early} times in a row`));
  };
  const start = (): void => {
    const worker = forkWorker(env);
    const born = clock.now();
    running.add(worker);
    worker.on("message", (raw) => {
      receive(worker, raw);
    });
    worker.on("exit", (code: number | null, by: string | null) => {
      running.delete(worker);
      replace(worker, by ?? `exit ${code ?? "unknown"}`, clock.now() - born);
    });
  };

  for (let count = 0; count < options.workers; count++) start();
  const stopped = signal.aborted ? undefined : once(signal, "abort").then(() => undefined);
  const failure = await Promise.race([failed, stopped]);
  ending.abort();
  if (failure === undefined) {
    await stopAll(running, (options.drainDelay + options.drainTimeout) * 1000, clock);
  } else {
    await killAll(running);
    throw failure;
  }
}

/** Answers what workers say. Messages of others on the same channel (prom-client's) are not ours and pass. */
function createReceiver(
  running: ReadonlySet<Worker>,
  expected: number,
  onListening: (url: string) => Promise<void>,
  onFailed: (error: FerryError) => void,
): (worker: Worker, raw: unknown) => void {
  const aggregate = new AggregatorRegistry();
  let listening = 0;
  return (worker, raw) => {
    const message = FromWorker.safeParse(raw);
    if (!message.success) return;
    const { data } = message;
    switch (data.ferry) {
      case "listening":
        listening++;
        if (listening === expected) void onListening(data.url);
        break;
      case "failed":
        onFailed(new FerryError(data.code, data.message, data.hint === undefined ? {} : { hint: data.hint }));
        break;
      case "asked":
        for (const other of running) if (other !== worker) tell(other, data);
        break;
      case "metrics":
        void aggregate.clusterMetrics().then(
          (text) => {
            tell(worker, { ferry: "metrics", id: data.id, text });
          },
          () => {
            tell(worker, { ferry: "metrics", id: data.id });
          },
        );
        break;
    }
  };
}

/** Lets every process drain, and ends those that have not ended by themselves after `limitMs` and a little. */
async function stopAll(running: ReadonlySet<Worker>, limitMs: number, clock: Clock): Promise<void> {
  const patience = new AbortController();
  const late = clock.sleep(limitMs + GRACE_MS, patience.signal).then(
    () => killAll(running),
    () => undefined,
  );
  const ended = exits(running);
  for (const worker of running) tell(worker, { ferry: "stop" });
  await ended;
  patience.abort();
  await late;
}

async function killAll(running: ReadonlySet<Worker>): Promise<void> {
  const ended = exits(running);
  for (const worker of running) worker.process.kill("SIGKILL");
  await ended;
}

async function exits(running: ReadonlySet<Worker>): Promise<void> {
  await Promise.all([...running].map((worker) => once(worker, "exit")));
}

function tell(worker: Worker, message: ToWorker): void {
  // One that is ending takes no message any more, and needs none.
  if (worker.isConnected()) worker.send(message, () => undefined);
}
