import { type Range, totalLength } from "./ranges.ts";

/** When one connection is too slow for a file, and in what pieces several fetch the rest. */
export interface SplitPolicy {
  /** Milliseconds of receiving that one judgement of the rate is based on. */
  probeMs: number;
  /** Bytes a second below which further connections are opened. Above, they cost processor time and bring nothing. */
  slowBelow: number;
  /** From 0 to 1: a thread busier than this is itself what is slow, and more connections would only burden it. */
  busyAbove: number;
  /** Bytes of a piece. Every piece costs a request and, at GitHub, a redirect. */
  minPiece: number;
  maxPiece: number;
}

const MIB = 1024 * 1024;

export const SPLIT_POLICY: SplitPolicy = {
  probeMs: 200,
  slowBelow: 64 * MIB,
  busyAbove: 0.7,
  minPiece: 4 * MIB,
  maxPiece: 64 * MIB,
};

/**
 * The next piece of what is open: in order, so that the digest can follow closely, and smaller towards the end, so that
 * all connections finish together and little is left to hash then.
 */
export function nextPiece(
  open: readonly Range[],
  connections: number,
  policy: SplitPolicy,
): Range | undefined {
  const [first] = open;
  if (first === undefined) return undefined;
  const length = pieceLength(totalLength(open), connections, policy);
  // What would be left of a gap must be worth a request of its own.
  const end = first.end - first.start < length * 1.5 ? first.end : first.start + length;
  return { start: first.start, end };
}

export function pieceLength(
  remaining: number,
  connections: number,
  { minPiece, maxPiece }: SplitPolicy,
): number {
  return Math.min(maxPiece, Math.max(minPiece, Math.ceil(remaining / (2 * connections))));
}

/**
 * Watches the rate of one connection in windows of `probeMs`, and says where one was slow for want of connections. Time
 * spent waiting for the disk does not count, nor does a window in which this process was the busy part (`load`: how busy
 * since the call before). Milliseconds and bytes.
 */
export function createRateProbe(
  policy: SplitPolicy,
  startedAt: number,
  load: () => number,
): (now: number, bytes: number, blocked: number) => boolean {
  let since = startedAt;
  let received = 0;
  let waited = 0;
  load();
  return (now, bytes, blocked) => {
    received += bytes;
    waited += blocked;
    const elapsed = now - since - waited;
    if (elapsed < policy.probeMs) return false;
    const busy = load() > policy.busyAbove;
    const slow = (received / elapsed) * 1000 < policy.slowBelow;
    since = now;
    received = 0;
    waited = 0;
    return slow && !busy;
  };
}
