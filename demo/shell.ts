import { type ChildProcess, spawn } from "node:child_process";
import { appendFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const FERRY = fileURLToPath(new URL("../bin/ferry.mjs", import.meta.url));

export interface Shell {
  /** Prints a heading, and writes it to the log. */
  step(title: string): Promise<void>;
  say(text: string): Promise<void>;
  /** Runs `ferry` as a user would and returns what it answered. Rejects, with the command line, unless it exits with 0. */
  ferry(...args: string[]): Promise<string>;
  /** The same for a long answer, which is returned and not printed. */
  quietly(...args: string[]): Promise<string>;
  /** Runs a line of POSIX shell, as somebody at a node would type it. */
  sh(line: string): Promise<string>;
  /** Starts `ferry` to stay; resolves with its first line of output. */
  start(...args: string[]): Promise<{ line: string; process: ChildProcess }>;
}

interface Finished {
  code: unknown;
  /** Standard output alone. */
  answer: string;
  /** Both, as they came. */
  output: string;
}

/** A shell with the given environment, all of whose output also goes to the log file. */
export function createShell(env: Readonly<Record<string, string>>, log: string): Shell {
  const put = async (text: string): Promise<void> => {
    process.stdout.write(text);
    await appendFile(log, text);
  };
  const run = async (
    shown: string,
    command: string,
    args: readonly string[],
    show: boolean,
  ): Promise<string> => {
    await put(`$ ${shown}\n`);
    const { code, answer, output } = await finished(command, args, env);
    if (show || code !== 0) await put(output);
    if (code !== 0) throw new Error(`${shown} ended with exit code ${String(code)}`);
    return answer;
  };
  const node = process.execPath;
  return {
    step: (title) => put(`\n== ${title}\n`),
    say: (text) => put(`${text}\n`),
    ferry: (...args) => run(`ferry ${args.join(" ")}`, node, [FERRY, ...args], true),
    quietly: (...args) => run(`ferry ${args.join(" ")}`, node, [FERRY, ...args], false),
    sh: (line) => run(line, "sh", ["-c", line], true),
    start: async (...args) => {
      await put(`$ ferry ${args.join(" ")}\n`);
      const child = spawn(node, [FERRY, ...args], {
        env: { ...process.env, ...env },
        stdio: ["ignore", "pipe", "ignore"],
      });
      const line = await new Promise<string>((resolve, reject) => {
        createInterface({ input: child.stdout }).once("line", resolve);
        child.once("error", reject).once("close", (code) => {
          reject(new Error(`ferry ${args.join(" ")} ended with exit code ${String(code)}`));
        });
      });
      await put(`${line}\n`);
      return { line, process: child };
    },
  };
}

async function finished(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Finished> {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let answer = "";
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    answer += text;
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const code = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  return { code, answer, output };
}
