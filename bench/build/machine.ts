import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";

/** Programs that are measured against, each with the argument that makes it say its version. */
const PROGRAMS: Readonly<Record<string, string>> = {
  nginx: "-v",
  curl: "--version",
  aria2c: "--version",
  openssl: "version",
  tar: "--version",
  taskset: "--version",
};

/** One line about what everything ran on, in folder `dir`. Throws naming every program that is not there. */
export function describeMachine(dir: string): string {
  const versions: string[] = [];
  const absent: string[] = [];
  for (const [program, argument] of Object.entries(PROGRAMS)) {
    const { error, stdout, stderr } = spawnSync(program, [argument], { encoding: "utf8" });
    if (error !== undefined) absent.push(program);
    else versions.push(`${program} ${/\d+\.\d+[\w.-]*/.exec(`${stdout}${stderr}`)?.[0] ?? "?"}`);
  }
  if (absent.length > 0) throw new Error(`not installed: ${absent.join(", ")}`);
  const model = cpus()[0]?.model ?? "unknown processor";
  const memory = Math.round(totalmem() / 2 ** 30);
  const load = loadavg().map((value) => value.toFixed(1));
  return `Machine: ${availableParallelism()} cores (${model}), ${memory} GiB, ${fileSystem(dir)}, load ${load[0]} at the start; Node ${process.versions.node}, ${versions.join(", ")}.`;
}

/** Numbers of the processors that this process may use. Source: proc(5), `Cpus_allowed_list`, such as `0-1,4`. */
export function allowedCpus(): number[] {
  const list = /^Cpus_allowed_list:\s*(.+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
  return list.split(",").flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

function fileSystem(dir: string): string {
  return execFileSync("stat", ["--file-system", "--format=%T", dir], { encoding: "utf8" }).trim();
}
