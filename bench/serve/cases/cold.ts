import { type Bench, LARGE, TINY } from "../bench.ts";
import { curl, output, runLoadWhile } from "../clients.ts";
import { compare, limit, type Row } from "../row.ts";
import type { Server } from "../servers.ts";
import { RELEASE_PATH } from "../store.ts";

/** How long small requests take while another client fetches a file that is not in the page cache, and while it is. */
export async function cold(bench: Bench): Promise<Row[]> {
  const { sendfile, stream, nginx } = bench;
  const rows: Row[] = [];
  const warm = await bench.rounds([sendfile, stream], (server) => beside(bench, server, false));
  const chilled = await bench.rounds([sendfile, stream, nginx], (server) => beside(bench, server, true));
  for (const server of [sendfile, stream]) {
    const pick = (of: Map<Server, Sample[]>, figure: keyof Sample): number[] =>
      (of.get(server) ?? []).map((sample) => sample[figure]);
    for (const figure of ["p99", "max"] as const) {
      const values = pick(warm, figure);
      const what = `${server.name}, small requests beside a cold file, ${figure}`;
      rows.push(compare(what, "ms", pick(chilled, figure), { name: "beside a warm one", values }));
    }
    const other = { name: "nginx", values: (chilled.get(nginx) ?? []).map((sample) => sample.speed) };
    rows.push(compare(`${server.name}, cold file`, "GB/s", pick(chilled, "speed"), other));
    rows.push(limit(`${server.name}, warm file beside small requests`, "GB/s", pick(warm, "speed")));
  }
  return rows;
}

interface Sample {
  p99: number;
  max: number;
  speed: number;
}

async function beside(
  { store, options, signal, nginx }: Bench,
  server: Server,
  chill: boolean,
): Promise<Sample> {
  if (chill) {
    const drop = [`if=${store.blobOf(LARGE)}`, "iflag=nocache", "count=0", "status=none"];
    await output("dd", drop, signal);
  }
  const path = server === nginx ? store.pathOf(TINY) : RELEASE_PATH;
  let wall = 0;
  const { p99, max } = await runLoadWhile(
    { origin: server.url, paths: [`/${path}`], connections: 1 },
    { signal },
    async () => {
      wall = await curl(`${server.url}/${store.pathOf(LARGE)}`, 1, { signal });
    },
  );
  const speed = options.size / 1e9 / wall;
  console.error(
    `  ${server.name}, ${chill ? "cold" : "warm"}: ${speed.toFixed(2)} GB/s, p99 ${p99.toFixed(2)} ms, max ${max.toFixed(1)} ms`,
  );
  return { p99, max, speed };
}
