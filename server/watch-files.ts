import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";

export interface FileWatch {
  /** Looks now, and resolves when whatever had to be done about a change has been done. */
  check: () => Promise<void>;
  close: () => void;
}

export interface FileWatchOptions {
  /** Milliseconds between two looks. Zero never looks by itself. */
  pollMs: number;
  /** Whether the system's notifications make it look sooner (default: yes). */
  notify?: boolean;
  /** Runs after any of the files was replaced, changed, appeared or vanished; never twice at once. Must not throw. */
  onChange(): Promise<void>;
}

/**
 * Notices that files were replaced, by looking at them: identity, change time and size say it on every file system,
 * network ones and mounted secrets included. Notifications of the system, where there are any, only make it look sooner.
 */
export async function watchFiles(paths: readonly string[], options: FileWatchOptions): Promise<FileWatch> {
  let seen = await identities(paths);
  let looks = 0;
  let running: Promise<void> | undefined;

  const look = async (): Promise<void> => {
    let done: number;
    do {
      done = looks;
      const now = await identities(paths);
      if (now !== seen) {
        seen = now;
        await options.onChange();
      }
    } while (done !== looks);
  };
  // A look that is asked for while one runs comes after it: what that one saw may be older than the question.
  const check = (): Promise<void> => {
    looks++;
    running ??= look().finally(() => {
      running = undefined;
    });
    return running;
  };

  if (options.pollMs === 0) return { check, close: () => undefined };
  const timer = setInterval(() => void check(), options.pollMs).unref();
  const folders = options.notify === false ? [] : new Set(paths.map((path) => dirname(path)));
  const watchers = [...folders].flatMap((folder) => notify(folder, check));
  return {
    check,
    close: () => {
      clearInterval(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}

async function identities(paths: readonly string[]): Promise<string> {
  return (await Promise.all(paths.map(identity))).join("\n");
}

async function identity(path: string): Promise<string> {
  try {
    const { dev, ino, ctimeNs, size } = await stat(path, { bigint: true });
    return [dev, ino, ctimeNs, size].join(":");
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "unreadable";
  }
}

function notify(folder: string, check: () => Promise<void>): FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, () => void check());
    watcher.on("error", () => {
      watcher.close();
    });
    return [watcher];
  } catch {
    // No notifications here (the folder is missing, or the system has no watches left): the timer looks anyway.
    return [];
  }
}
