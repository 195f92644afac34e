/**
 * A client of its own process: some connections, each asking again as soon as it has its answer. It parses no more of
 * HTTP than it must, so that it takes less of the machine than what it measures.
 * Usage: tsx bench/serve/load.ts JSON (see LoadOptions); says "started" on standard error and prints a LoadResult.
 */
import { connect } from "node:net";

export interface LoadOptions {
  origin: string;
  /** Paths with a leading slash, asked for in turn. */
  paths: readonly string[];
  connections: number;
  headers?: Readonly<Record<string, string>>;
  /** Ends after this many seconds, after `times` answers on each connection, or else when standard input ends. */
  seconds?: number;
  times?: number;
}

export interface LoadResult {
  requests: number;
  /** Answers of another status than 200, 206 and 304, and connections that ended early. */
  errors: number;
  bytes: number;
  /** Seconds. */
  wall: number;
  /** Milliseconds from request to end of answer. */
  p50: number;
  p99: number;
  max: number;
}

const EXPECTED = new Set([200, 206, 304]);

async function load(options: LoadOptions): Promise<LoadResult> {
  const took: number[] = [];
  const totals = { errors: 0, bytes: 0 };
  const begun = performance.now();
  const limits = { times: options.times ?? Number.POSITIVE_INFINITY, until: Number.POSITIVE_INFINITY };
  if (options.seconds !== undefined) limits.until = begun + options.seconds * 1000;
  if (options.seconds === undefined && options.times === undefined) {
    process.stdin.resume().once("end", () => {
      limits.until = 0;
    });
  }
  console.error("started");
  await Promise.all(
    Array.from({ length: options.connections }, (_, index) => converse(options, index, limits, took, totals)),
  );
  const wall = (performance.now() - begun) / 1000;
  took.sort((a, b) => a - b);
  const at = (share: number): number => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0;
  return { requests: took.length, ...totals, wall, p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** One connection, from its first request to its last answer. */
function converse(
  options: LoadOptions,
  index: number,
  limits: { readonly times: number; readonly until: number },
  took: number[],
  totals: { errors: number; bytes: number },
): Promise<void> {
  const { hostname, port } = new URL(options.origin);
  const requests = requestsOf(options);
  return new Promise((resolve) => {
    let [asked, since] = [0, 0];
    let head = "";
    /** Bytes of body still to come; undefined while the head is read. */
    let rest: number | undefined;
    let over = false;

    const ask = (): void => {
      if (asked >= limits.times || performance.now() >= limits.until) {
        over = true;
        socket.end();
        return;
      }
      head = "";
      rest = undefined;
      since = performance.now();
      socket.write(requests[(index + asked) % requests.length] ?? "");
      asked += 1;
    };
    const onData = (length: number, buffer: Uint8Array): boolean => {
      totals.bytes += length;
      let body = length;
      if (rest === undefined) {
        const before = head.length;
        head += Buffer.from(buffer.buffer, buffer.byteOffset, Math.min(length, 16_384)).toString("latin1");
        const end = head.indexOf("\r\n\r\n");
        if (end < 0) return true;
        const status = Number(head.slice(9, 12));
        if (!EXPECTED.has(status)) totals.errors += 1;
        rest = status === 304 ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
        body = before + length - (end + 4);
      }
      rest -= body;
      if (rest === 0) {
        took.push(performance.now() - since);
        ask();
      }
      return true;
    };
    const socket = connect({
      port: Number(port),
      host: hostname,
      noDelay: true,
      onread: { buffer: Buffer.allocUnsafe(256 * 1024), callback: onData },
    });
    socket.once("connect", ask);
    socket.on("error", () => undefined);
    socket.once("close", () => {
      if (!over) totals.errors += 1;
      resolve();
    });
  });
}

function requestsOf({ origin, paths, headers = {} }: LoadOptions): string[] {
  const { host } = new URL(origin);
  const extra = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${extra.join("")}\r\n`);
}

console.log(JSON.stringify(await load(JSON.parse(process.argv[2] ?? "") as LoadOptions)));
