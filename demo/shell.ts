import { spawn } from "node:child_process";
import { appendFile } from "node:fs/promises";
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
}

/** A shell with the given environment, all of whose output also goes to the log file. */
export function createShell(env: Readonly<Record<string, string>>, log: string): Shell {
  const put = async (text: string): Promise<void> => {
    process.stdout.write(text);
    await appendFile(log, text);
  };
  const run = async (args: readonly string[], show: boolean): Promise<string> => {
    await put(`$ ferry ${args.join(" ")}\n`);
    const { code, answer, output } = await spawnFerry(args, env);
    if (show || code !== 0) await put(output);
    if (code !== 0) throw new Error(`ferry ${args.join(" ")} ended with exit code ${String(code)}`);
    return answer;
  };
  return {
    step: (title) => put(`\n== ${title}\n`),
    say: (text) => put(`${text}\n`),
    ferry: (...args) => run(args, true),
    quietly: (...args) => run(args, false),
  };
}

async function spawnFerry(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ code: unknown; answer: string; output: string }> {
  const child = spawn(process.execPath, [FERRY, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
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
