import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { runLoad } from "../clients.ts";
import { compare, limit, type Row } from "../row.ts";
import { type Server, startMirror } from "../servers.ts";
import { writeWideStore } from "../store.ts";
import { cpuOf } from "../usage.ts";

const PATHS = 100_000;

/** How much longer the mirror takes to start with 100,000 paths, and whether it answers as fast then. */
export async function catalog(bench: Bench): Promise<Row[]> {
  const { command, folder, options, signal, store } = bench;
  const wide = await writeWideStore(join(folder, "wide"), PATHS);
  const start = async (root: string): Promise<{ server: Server; took: number; cpu: number }> => {
    const begun = performance.now();
    const server = await startMirror("mirror", command, { store: root });
    const cpu = server.pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
    return { server, took: (performance.now() - begun) / 1000, cpu };
  };
  const loads: number[] = [];
  /** The same in processor time, which a busy machine does not lengthen as much. */
  const works: number[] = [];
  const rates: number[] = [];
  const others: number[] = [];
  const rate = async ({ url }: Server, path: string): Promise<number> => {
    const paths = [`/${path}`];
    const asked = {
      origin: url,
      paths,
      connections: 32,
      seconds: options.seconds,
      headers: { Range: "bytes=0-0" },
    };
    const { requests, wall, errors } = await runLoad(asked, { signal });
    if (errors > 0) throw new Error(`${errors} errors of ${requests} requests for ${path}`);
    return requests / wall;
  };
  for (let round = 0; round < options.rounds; round++) {
    const small = await start(store.root);
    others.push(await rate(small.server, store.pathOf("medium-0.bin")));
    await small.server.stop();
    const large = await start(wide.root);
    rates.push(await rate(large.server, wide.pathOf(`wide-${PATHS - 1}.tar.gz`)));
    await large.server.stop();
    loads.push(large.took - small.took);
    works.push(large.cpu - small.cpu);
    console.error(`  started in ${large.took.toFixed(2)} s, with few files in ${small.took.toFixed(2)} s`);
  }
  return [
    limit(`start with ${PATHS} files, beyond that with few`, "s", loads, { most: 2 }),
    limit(`start with ${PATHS} files, beyond that with few, processor time`, "s", works),
    compare(
      "files asked for among them, one byte each",
      "req/s",
      rates,
      { name: "among few", values: others },
      { least: 0.8 },
    ),
  ];
}
