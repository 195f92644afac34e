import type { Readable } from "node:stream";
import type { Arch } from "../bundle/document-values.ts";
import type { Env } from "../config/load.ts";
import type { Clock } from "../lib/clock.ts";
import type { CliLogger } from "./terminal-logger.ts";

/** Everything that a command may touch of the process: passed in, so that tests run commands in their own process. */
export interface Context {
  env: Env;
  cwd: string;
  stdin: Readable;
  /** Standard input is a terminal: a passphrase may be asked for. */
  interactive: boolean;
  /** The answer, on standard output. Resolves when the reader took it. */
  write(text: string): Promise<void>;
  /** Asks on the terminal without echo. */
  askSecret(question: string): Promise<string>;
  logger: CliLogger;
  clock: Clock;
  /** Aborted by Ctrl-C or SIGTERM. */
  signal: AbortSignal;
  /** Folder that holds package.json and `bundles/`. */
  packageRoot: string;
  /** Architecture of this machine as bundles name it; undefined where it is no Linux or another processor. */
  hostArch: Arch | undefined;
  /** Our own version, from package.json. */
  version: string;
}
