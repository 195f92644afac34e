import { describeMachine } from "./build/machine.ts";
import { type Bench, createBench } from "./python/bench.ts";
import { compile } from "./python/cases/compile.ts";
import { download } from "./python/cases/download.ts";
import { install, TRIES } from "./python/cases/install.ts";
import { pages } from "./python/cases/pages.ts";
import { ENGINE } from "./python/engine.ts";
import { type CaseName, type Options, readOptions, USAGE } from "./python/options.ts";
import { type Report, renderReport } from "./serve/report.ts";
import type { Row } from "./serve/row.ts";
import { inFolder, runBenchmark, runCases } from "./support/main.ts";

/**
 * `npm run bench:python`: the mirror's Python side beside native tools, as a table on standard output.
 * A missed target is said and is no failure: how busy a machine is must not decide whether a change passes.
 */
const MEASURES: Readonly<Record<CaseName, (bench: Bench) => Promise<Row[]>>> = {
  pages,
  install,
  compile,
  download,
};

async function measureAll(options: Options, signal: AbortSignal): Promise<Report> {
  const machine = describeMachine(options.dir);
  const rows = await inFolder(options.dir, async (folder) =>
    runCases(MEASURES, options.cases, await createBench(options, folder, signal)),
  );
  return { machine, notes: notesOf(options), rows };
}

function notesOf({ rounds, seconds, size }: Options): string[] {
  return [
    `Pages: 32 connections of one client process for ${seconds} s, ${rounds} rounds in changing order, the mirror with one process and no access log; nginx has one worker and the same bytes as files. First answers: from a mirror that was just started.`,
    `Installs: the real uv installs ${ENGINE.project} ${ENGINE.version} into a new environment with an empty cache, ${TRIES} times a round, of which the fastest counts. nginx has the same wheels, metadata and pages as files, at the same paths. Compiles: wheels that the mirror's access log shows as sent whole, and bytes of wheels.`,
    `Downloads: 200 files of ${size / 2 ** 20} MiB together, as large and small as the wheels of a large engine, from one nginx worker on the loopback; all digests checked. \`ferry\` also flushes what it stores to the disk; \`sync\` before each run. Memory is the kernel's \`VmHWM\`.`,
  ];
}

await runBenchmark({ usage: USAGE, readOptions, measure: measureAll, render: renderReport });
