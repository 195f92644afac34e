import { link, open, readdir, readFile, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { FerryError, fromFileError } from "../errors.ts";
import type { Clock } from "./clock.ts";
import { makeFolder, temporaryBeside } from "./files.ts";
import { isGone, LockOwner, thisProcess } from "./lock-owner.ts";

export interface Lock {
  release(): Promise<void>;
}

export interface LockOptions {
  /** What the lock is for, as others will read it: `garbage collection`. */
  what: string;
  clock: Clock;
  /** How long to wait for another holder, milliseconds; 0 (the default) gives up at once. */
  waitMs?: number;
  signal?: AbortSignal;
}

/** How often a waiter looks again, milliseconds. */
const POLL_MS = 50;
const Generation = z.strictObject({ held: LockOwner });

/**
 * Takes a lock that holds between processes. Throws STORE_BUSY naming the owner when it is taken.
 *
 * `folder` holds one file a generation, named by its number. The newest counts: it names its owner, or is empty once
 * it was released. Who wants the lock links the next number into place, which the file system lets exactly one do; whoever
 * comes late to a number that has already been passed sees the newer one and tries again. So a lock whose owner died is
 * taken over without a moment in which two could believe to hold it, and nothing is ever deleted on a guess.
 */
export async function acquireLock(folder: string, options: LockOptions): Promise<Lock> {
  const { clock, what, waitMs = 0, signal } = options;
  const deadline = clock.now() + waitMs;
  try {
    await makeFolder(folder);
    const me = await thisProcess(what, new Date(clock.now()).toISOString());
    for (;;) {
      const taken = await tryAcquire(folder, me);
      if (typeof taken === "string") return { release: () => release(taken) };
      if (clock.now() >= deadline) throw busy(folder, taken);
      await clock.sleep(POLL_MS, signal);
    }
  } catch (error) {
    throw fromFileError(error, "lock", folder, "FILE_UNWRITABLE");
  }
}

/** The path of our generation, or who holds the lock. */
async function tryAcquire(folder: string, me: LockOwner): Promise<string | LockOwner> {
  for (;;) {
    const newest = (await generations(folder)).at(-1) ?? 0;
    const holder = newest === 0 ? undefined : await holderOf(generationPath(folder, newest));
    if (holder !== undefined && !(await isGone(holder, me))) return holder;
    const mine = generationPath(folder, newest + 1);
    if (!(await place(mine, { held: me }))) continue;
    const all = await generations(folder);
    if (all.at(-1) === newest + 1) {
      for (const older of all.slice(0, -1)) await rm(generationPath(folder, older), { force: true });
      return mine;
    }
    await rm(mine, { force: true });
  }
}

function generationPath(folder: string, generation: number): string {
  return join(folder, String(generation).padStart(12, "0"));
}

async function generations(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names
    .filter((name) => /^\d{12}$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/** Nobody holds what is gone by now (a newer one exists then), what was released, or what a power failure has torn. */
async function holderOf(path: string): Promise<LockOwner | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
  try {
    return Generation.parse(JSON.parse(text)).held;
  } catch {
    return undefined;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** Puts content under a name that must be new; false where it exists. It appears whole or not at all. */
async function place(path: string, content: z.infer<typeof Generation>): Promise<boolean> {
  const temporary = await writeTemporary(path, content);
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** An empty generation is held by nobody. Emptying takes no space: a full disk must not leave the lock behind. */
async function release(path: string): Promise<void> {
  try {
    await truncate(path, 0);
  } catch (error) {
    throw fromFileError(error, "unlock", path, "FILE_UNWRITABLE");
  }
}

async function writeTemporary(path: string, content: z.infer<typeof Generation>): Promise<string> {
  const temporary = temporaryBeside(path);
  const handle = await open(temporary, "wx", 0o644);
  try {
    // Whoever shares the store must be able to read who holds it, whatever the umask.
    await handle.chmod(0o644);
    await handle.writeFile(JSON.stringify(content));
    await handle.datasync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return temporary;
}

function busy(folder: string, owner: LockOwner): FerryError {
  return new FerryError(
    "STORE_BUSY",
    `${folder} is in use by process ${owner.pid} on ${owner.host} (${owner.what}, since ${owner.since})`,
    {
      hint: `Wait until it is done. If that process no longer exists (another machine or container, whose processes cannot be seen from here), remove the folder ${folder}.`,
      details: { folder, owner },
    },
  );
}
