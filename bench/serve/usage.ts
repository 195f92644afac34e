import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks a second in /proc: what proc(5) calls USER_HZ. */
const TICKS = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

/** Seconds of processor time that a process and its children, as far as they live, have used so far. */
export function cpuOf(pid: number): number {
  return tree(pid).reduce((sum, each) => {
    // The name in parentheses may hold spaces; utime and stime are the 14th and 15th fields.
    const stat = readFileSync(`/proc/${each}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return sum + (Number(fields[11]) + Number(fields[12])) / TICKS;
  }, 0);
}

/** Most memory that one of these processes had at once, in bytes (VmHWM, in units of 1024 bytes). */
export function peakOf(pid: number): number {
  const peaks = tree(pid).map((each) => {
    const status = readFileSync(`/proc/${each}/status`, "utf8");
    return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]) * 1024;
  });
  return Math.max(...peaks);
}

function tree(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(tree)];
}
