import type { Clock } from "../src/lib/clock.ts";
import type { Logger } from "../src/log.ts";

/** What the mirror says of itself, as one JSON object a line, like its access log. */
export function jsonLogger(write: (line: string) => void, clock: Clock): Logger {
  const say = (level: string) => (message: string) => {
    write(
      `${JSON.stringify({ event: "message", time: new Date(clock.now()).toISOString(), level, message })}\n`,
    );
  };
  return { debug: () => undefined, info: say("info"), warn: say("warn"), progress: () => undefined };
}
