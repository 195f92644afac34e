import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { FerryError, interrupted } from "../errors.ts";

const HINT = "Give it in a file with --passphrase-file, or in FERRY_KEY_PASSPHRASE.";

/**
 * Asks on the terminal and does not show what is typed. Everything is written to standard error. Ctrl-C is INTERRUPTED,
 * the end of the input (Ctrl-D) KEY_PASSPHRASE.
 */
export function askSecret(question: string, process: NodeJS.Process): Promise<string> {
  const mute = new Writable({
    write(_chunk, _encoding, done) {
      done();
    },
  });
  process.stderr.write(question);
  const lines = createInterface({ input: process.stdin, output: mute, terminal: true });
  return new Promise((resolve, reject) => {
    lines.question("", (answer) => {
      process.stderr.write("\n");
      resolve(answer);
      lines.close();
    });
    lines.on("SIGINT", () => {
      reject(interrupted("asking for the passphrase"));
      lines.close();
      process.stderr.write("\n");
      process.kill(process.pid, "SIGINT");
    });
    // After an answer or Ctrl-C this comes too late to change anything.
    lines.on("close", () => {
      reject(
        new FerryError("KEY_PASSPHRASE", "the input ended before a passphrase was given", { hint: HINT }),
      );
    });
  });
}
