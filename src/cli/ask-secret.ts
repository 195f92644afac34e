import { createInterface } from "node:readline";
import { Writable } from "node:stream";

/** Asks on the terminal and does not show what is typed. Everything is written to standard error. */
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
      lines.close();
      resolve(answer);
    });
    lines.on("SIGINT", () => {
      lines.close();
      process.stderr.write("\n");
      process.kill(process.pid, "SIGINT");
      reject(new Error("interrupted"));
    });
  });
}
