import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../lib/clock.ts";
import { askSecret } from "./ask-secret.ts";
import type { Context } from "./context.ts";
import { hostArch } from "./host-arch.ts";
import { run } from "./run.ts";
import { terminalLogger } from "./terminal-logger.ts";

/** Binds the command line to a real process: streams, signals, exit code. The first signal stops cleanly, a second at once. */
export async function main(process: NodeJS.Process): Promise<void> {
  const stop = new AbortController();
  const onSignal = (): void => {
    if (stop.signal.aborted) process.exit(130);
    process.stderr.write("\nferry: stopping in good order (once more: at once)\n");
    stop.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  // A reader that closed early (`| head`) is no fault of the command, which goes on: its exit code says how it ended.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  const context: Context = {
    env: process.env,
    cwd: process.cwd(),
    stdin: process.stdin,
    interactive: process.stdin.isTTY,
    write: (text) =>
      new Promise((resolve, reject) => {
        process.stdout.write(text, (error) => {
          if (error && !isClosedPipe(error)) reject(error);
          else resolve();
        });
      }),
    askSecret: (question) => askSecret(question, process),
    logger: terminalLogger(process.stderr, systemClock, process.argv.includes("--verbose")),
    clock: systemClock,
    signal: stop.signal,
    hostArch: hostArch(process),
    ...ownPackage(),
  };
  process.exitCode = await run(process.argv.slice(2), context);
  context.logger.close();
  process.off("SIGINT", onSignal);
  process.off("SIGTERM", onSignal);
}

/** A stream that was told so once says of every later write that it is destroyed. */
function isClosedPipe(error: NodeJS.ErrnoException): boolean {
  return error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED";
}

/** The folder that holds our package.json (two levels up in a checkout, three in a built package) and our version. */
function ownPackage(): { packageRoot: string; version: string } {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    try {
      const found = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
        name?: string;
        version: string;
      };
      if (found.name === "engine-ferry") return { packageRoot: folder, version: found.version };
    } catch {
      // No package.json here: look one level up.
    }
    const parent = dirname(folder);
    if (parent === folder) {
      throw new Error("the package's own folder was not found; install engine-ferry anew");
    }
    folder = parent;
  }
}
