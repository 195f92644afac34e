import { type Bench, HUGE, HUGE_SIZE, LARGE } from "../bench.ts";
import { type ClientOptions, curl, discard, output } from "../clients.ts";
import { compare, limit, type Row, type Target } from "../row.ts";
import type { Server } from "../servers.ts";
import { cpuOf, peakOf } from "../usage.ts";

interface Sample {
  /** GB a second, of all clients together. */
  speed: number;
  /** Seconds of the server's processor time a GB. */
  cpu: number;
}

/** One large file from the page cache, by one client and by eight. */
export async function large(bench: Bench): Promise<Row[]> {
  const { nginx, accel, stream, sendfile, two } = bench;
  const one = await measure(bench, [nginx, accel, sendfile, stream], 1);
  const eight = await measure(bench, [nginx, accel, sendfile, stream, two], 8);
  const light = await measure(bench, [nginx, sendfile, two], 8, discard);

  const rows: Row[] = [];
  const speed = (clients: number, samples: Map<Server, Sample[]>, server: Server, target?: Target): void => {
    rows.push(versus(samples, server, nginx, "speed", `${server.name}, ${clients} × large file`, target));
  };
  const cpu = (clients: number, samples: Map<Server, Sample[]>, server: Server, target?: Target): void => {
    rows.push(versus(samples, server, nginx, "cpu", `${server.name}, ${clients} × large file, cpu`, target));
  };
  speed(1, one, accel, { least: 0.9 });
  speed(8, eight, accel, { least: 0.9 });
  cpu(1, one, accel, { most: 1.2 });
  cpu(8, eight, accel, { most: 1.2 });
  speed(1, one, stream, { least: 0.3 });
  speed(8, eight, stream, { least: 0.38 });
  cpu(1, one, stream);
  speed(1, one, sendfile, { least: 0.8 });
  speed(8, eight, sendfile, { least: 0.8 });
  cpu(1, one, sendfile);
  cpu(8, eight, sendfile);
  rows.push(
    versus(light, two, sendfile, "speed", "two processes, 8 connections that discard", { least: 1.4 }),
    versus(light, sendfile, nginx, "speed", "sendfile, 8 connections that discard"),
    versus(eight, two, sendfile, "speed", "two processes, 8 × large file"),
  );
  speed(8, eight, two);
  rows.push(...(await memory(bench)));
  return rows;
}

function measure(
  { rounds, store, options, signal }: Bench,
  servers: readonly Server[],
  clients: number,
  fetch: (url: string, clients: number, options: ClientOptions) => Promise<number> = curl,
): Promise<Map<Server, Sample[]>> {
  const gigabytes = (options.size * clients) / 1e9;
  return rounds(servers, async ({ name, url, pids }) => {
    const used = (): number => pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
    const before = used();
    const wall = await fetch(`${url}/${store.pathOf(LARGE)}`, clients, { signal });
    const sample = { speed: gigabytes / wall, cpu: (used() - before) / gigabytes };
    console.error(`  ${clients} × ${name}: ${sample.speed.toFixed(2)} GB/s, ${sample.cpu.toFixed(2)} s/GB`);
    return sample;
  });
}

function versus(
  samples: Map<Server, Sample[]>,
  server: Server,
  other: Server,
  pick: keyof Sample,
  what: string,
  target?: Target,
): Row {
  const values = (of: Server): number[] => (samples.get(of) ?? []).map((sample) => sample[pick]);
  const unit = pick === "speed" ? "GB/s" : "s/GB";
  return compare(what, unit, values(server), { name: other.name, values: values(other) }, target);
}

/** Most memory of a process after all that, and after the last 2 GiB of a file of 20 GiB. */
async function memory({ sendfile, stream, two, store, signal }: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const server of [sendfile, stream, two]) {
    const range = `${HUGE_SIZE - 2 * 1024 ** 3}-`;
    const url = `${server.url}/${store.pathOf(HUGE)}`;
    await output("curl", ["-sSf", "-o", "/dev/null", "-r", range, url], signal);
    const peaks = server.pids.map((pid) => peakOf(pid) / 1e6);
    rows.push(limit(`${server.name}, most memory of a process, 20 GiB file too`, "MB", peaks, { most: 200 }));
  }
  return rows;
}
