/** Looks within one idle bound: a client is dropped after at least the bound, and at most a few looks later. */
const LOOKS = 4;

export interface IdleWatchOptions {
  /** Milliseconds without any progress after which `onIdle` is called. */
  idleMs: number;
  /** Cheap mark of progress; undefined while nobody is waited for. */
  mark: () => string | undefined;
  /** Dearer mark, asked only when the cheap one stands still: what the kernel still holds for the client. */
  deepMark: () => Promise<number | undefined>;
  onIdle: () => void;
}

/** Watches for a client that takes nothing at all. One that takes a little, however slowly, is never idle. */
export function watchIdle({ idleMs, mark, deepMark, onIdle }: IdleWatchOptions): { stop(): void } {
  let still = 0;
  let lastMark: string | undefined;
  let lastDeep: number | undefined;
  let looking = false;
  let stopped = false;

  const look = async (): Promise<void> => {
    const now = mark();
    const moved = now === undefined || now !== lastMark;
    lastMark = now;
    const deep = moved ? undefined : await deepMark();
    const deepMoved = moved || deep !== lastDeep;
    lastDeep = deep;
    still = deepMoved ? 0 : still + 1;
    if (still >= LOOKS && !stopped) {
      stop();
      onIdle();
    }
  };
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    void look().finally(() => {
      looking = false;
    });
  }, idleMs / LOOKS);
  timer.unref();
  const stop = (): void => {
    stopped = true;
    clearInterval(timer);
  };
  return { stop };
}
