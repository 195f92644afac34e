import { describeMachine } from "./build/machine.ts";
import { type Bench, createBench } from "./serve/bench.ts";
import { catalog } from "./serve/cases/catalog.ts";
import { cold } from "./serve/cases/cold.ts";
import { large } from "./serve/cases/large.ts";
import { many } from "./serve/cases/many.ts";
import { small } from "./serve/cases/small.ts";
import { type CaseName, type Options, readOptions, USAGE } from "./serve/options.ts";
import { type Report, renderReport } from "./serve/report.ts";
import type { Row } from "./serve/row.ts";
import { inFolder, runBenchmark, runCases } from "./support/main.ts";

/**
 * `npm run bench:serve`: the mirror beside nginx with the same files, as a table on standard output.
 * A missed target is said and is no failure: how busy a machine is must not decide whether a change passes.
 */
const MEASURES: Readonly<Record<CaseName, (bench: Bench) => Promise<Row[]>>> = {
  large,
  small,
  many,
  cold,
  catalog,
};

async function measureAll(options: Options, signal: AbortSignal): Promise<Report> {
  const machine = describeMachine(options.dir);
  const rows = await inFolder(options.dir, async (folder) => {
    const bench = await createBench(options, folder, signal);
    try {
      return await runCases(MEASURES, options.cases, bench);
    } finally {
      await bench.close();
    }
  });
  return { machine, notes: notesOf(options), rows };
}

function notesOf({ size, rounds, seconds, clients }: Options): string[] {
  return [
    `nginx: one worker with sendfile, no access log, over hard links to the mirror's blobs. The mirror: one process where two are not named, no access log; streams: with --no-sendfile; accel: deploy/nginx.conf with one worker in front of it, the processor time of both.`,
    `Large file: ${size / 2 ** 20} MiB from the page cache to curl, which shares the machine (two cores are all that eight of them and one server need, so the row of two processes has a client that discards what comes in the kernel); ${rounds} rounds, each server once a round in changing order.`,
    `Small requests: 32 connections of one client process for ${seconds} s. ${clients} × 4 MiB: that many connections of one client process, 4 files each.`,
    "Cold: the file dropped from the page cache before (dd iflag=nocache); times are those of one client who asks for the release JSON all the while.",
  ];
}

await runBenchmark({ usage: USAGE, readOptions, measure: measureAll, render: renderReport });
