import { connect, type Socket } from "node:net";
import { type Bench, HUGE, MEDIUM } from "../bench.ts";
import { runLoad } from "../clients.ts";
import type { LoadResult } from "../load.ts";
import { compare, limit, type Row } from "../row.ts";
import type { Server } from "../servers.ts";
import { peakOf } from "../usage.ts";

/** Files that each client fetches, one after the other. */
const TIMES = 4;
const STALLED = 64;

/** Many clients at once, each with files of 4 MiB; then the same beside clients who take nothing. */
export async function many(bench: Bench): Promise<Row[]> {
  const { nginx, sendfile, stream, accel, two, options } = bench;
  const title = `${options.clients} × 4 MiB`;
  const results = await measure(bench, [nginx, sendfile, stream, accel, two]);
  const of = (server: Server, pick: (result: LoadResult) => number): number[] =>
    (results.get(server) ?? []).map(pick);
  const p99 = (result: LoadResult): number => result.p99;
  const speed = ({ bytes, wall }: LoadResult): number => bytes / 1e9 / wall;

  const rows: Row[] = [];
  for (const server of [sendfile, stream, accel, two]) {
    const errors = of(server, (result) => result.errors);
    rows.push(limit(`${server.name}, ${title}, errors`, "errors", errors, { most: 0 }));
    const times = { name: "nginx", values: of(nginx, p99) };
    rows.push(compare(`${server.name}, ${title}, p99`, "ms", of(server, p99), times, { most: 2.5 }));
    const speeds = { name: "nginx", values: of(nginx, speed) };
    rows.push(compare(`${server.name}, ${title}`, "GB/s", of(server, speed), speeds));
  }
  for (const server of [sendfile, stream]) rows.push(...(await besideStalled(bench, server)));
  return rows;
}

function measure(bench: Bench, servers: readonly Server[]): Promise<Map<Server, LoadResult[]>> {
  return bench.rounds(servers, async (server) => {
    const result = await fetchAll(bench, server);
    console.error(
      `  ${server.name}: p99 ${result.p99.toFixed(0)} ms, ${(result.bytes / 1e9 / result.wall).toFixed(2)} GB/s, ${result.errors} errors`,
    );
    return result;
  });
}

function fetchAll({ store, options, signal }: Bench, server: Server): Promise<LoadResult> {
  const paths = MEDIUM.map((name) => `/${store.pathOf(name)}`);
  return runLoad({ origin: server.url, paths, connections: options.clients, times: TIMES }, { signal });
}

async function besideStalled(bench: Bench, server: Server): Promise<Row[]> {
  const { hostname, port } = new URL(server.url);
  const stalled: Socket[] = [];
  for (let index = 0; index < STALLED; index++) {
    const socket = connect(Number(port), hostname).pause();
    socket.on("error", () => undefined);
    socket.write(`GET /${bench.store.pathOf(HUGE)} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    stalled.push(socket);
  }
  try {
    const { errors } = await fetchAll(bench, server);
    const peaks = server.pids.map((pid) => peakOf(pid) / 1e6);
    const what = `${server.name}, the same beside ${STALLED} stalled clients`;
    return [
      limit(`${what}, errors`, "errors", [errors], { most: 0 }),
      limit(`${what}, most memory`, "MB", peaks, { most: 200 }),
    ];
  } finally {
    for (const socket of stalled) socket.destroy();
  }
}
