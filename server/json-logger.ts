import { destination, pino } from "pino";
import type { Logger } from "../src/log.ts";

/** What the mirror says of itself, as one JSON object a line on standard error, like its access log. */
export function jsonLogger(): Logger {
  const logger = pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (level) => ({ level }) } },
    destination({ dest: 2, sync: true }),
  );
  return {
    debug: (message) => {
      logger.debug(message);
    },
    info: (message) => {
      logger.info(message);
    },
    warn: (message) => {
      logger.warn(message);
    },
    progress: () => undefined,
  };
}
