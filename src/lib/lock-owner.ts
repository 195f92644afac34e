import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
// eslint-disable-next-line no-restricted-imports -- a lock names the process that holds it, which nobody can pass in truer
import { kill, pid } from "node:process";
import { z } from "zod";

/** Who holds a lock, precisely enough to tell later whether that process still lives. */
export const LockOwner = z.strictObject({
  pid: z.int().positive(),
  host: z.string(),
  /** What the process is doing, for people. */
  what: z.string(),
  /** ISO 8601. */
  since: z.string(),
  /** /etc/machine-id, the kernel's boot id, the pid namespace, the process's start in ticks since boot; empty where unknown. */
  machine: z.string(),
  boot: z.string(),
  pidNamespace: z.string(),
  startTicks: z.string(),
});
export type LockOwner = z.infer<typeof LockOwner>;

export async function thisProcess(what: string, since: string): Promise<LockOwner> {
  const text = (path: string): Promise<string> =>
    readFile(path, "utf8").then(
      (found) => found.trim(),
      () => "",
    );
  return {
    pid,
    host: hostname(),
    what,
    since,
    machine: await text("/etc/machine-id"),
    boot: await text("/proc/sys/kernel/random/boot_id"),
    pidNamespace: await readlink("/proc/self/ns/pid").catch(() => ""),
    startTicks: (await startTicks(pid)) ?? "",
  };
}

/**
 * Whether the owner is certainly gone. In doubt (another host, another container) it is taken to live: a lock that has
 * to be removed by hand is better than two writers.
 */
export async function isGone(owner: LockOwner, me: LockOwner): Promise<boolean> {
  if (owner.host !== me.host || owner.machine !== me.machine) return false;
  if (owner.boot !== me.boot) return owner.boot !== "" && me.boot !== "";
  if (owner.pidNamespace !== me.pidNamespace) return false;
  const started = await startTicks(owner.pid);
  if (started !== undefined) return owner.startTicks !== "" && started !== owner.startTicks;
  return !answersSignal(owner.pid);
}

/** Field 22 of /proc/PID/stat; undefined where there is no such process, or no /proc. */
async function startTicks(id: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${id}/stat`, "utf8");
    // The command in field 2 may hold spaces and brackets, so fields are counted from the last bracket.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

function answersSignal(id: number): boolean {
  try {
    kill(id, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
