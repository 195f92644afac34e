/**
 * The mirror as a program of its own, for containers: everything is taken from the environment (see
 * src/config/serve-variables.ts, and FERRY_STORE). Also what `--workers` starts several of.
 */
import { isFerryError } from "../src/errors.ts";
import { systemClock } from "../src/lib/clock.ts";
import { WORKER_ARGUMENT } from "./fork-worker.ts";
import { jsonLogger } from "./json-logger.ts";
import { ServeOptions, serveOptions } from "./options.ts";
import { runWorker } from "./run-worker.ts";
import { serve } from "./serve.ts";

const logger = jsonLogger((line) => void process.stderr.write(line), systemClock);

async function worker(options: string): Promise<void> {
  // A terminal's Ctrl-C reaches every process; when to stop, the starter says.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => undefined);
  await runWorker(
    ServeOptions.parse(JSON.parse(options)),
    {
      send: (message) => process.send?.(message, undefined, undefined, () => undefined),
      onMessage: (listener) => process.on("message", listener),
      onOrphaned: (listener) => process.once("disconnect", listener),
      exit: (code) => process.exit(code),
    },
    { clock: systemClock, logger },
  );
}

async function mirror(): Promise<void> {
  const stop = new AbortController();
  const onSignal = (): void => {
    if (stop.signal.aborted) process.exit(130);
    logger.info("stopping: running downloads are finished first");
    stop.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  await serve(serveOptions({}, process.env, process.cwd()), {
    signal: stop.signal,
    logger,
    write: (text) =>
      new Promise((resolve) => {
        process.stdout.write(text, () => {
          resolve();
        });
      }),
  });
}

const [first, options] = process.argv.slice(2);
try {
  await (first === WORKER_ARGUMENT ? worker(options ?? "{}") : mirror());
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  logger.warn(isFerryError(error) && error.hint !== undefined ? `${message} (${error.hint})` : message);
  process.exitCode = isFerryError(error) ? error.exitCode : 1;
}
