import { type Bench, createBench } from "./build/bench.ts";
import { download } from "./build/cases/download.ts";
import { limited } from "./build/cases/limited.ts";
import { memory } from "./build/cases/memory.ts";
import { pack } from "./build/cases/pack.ts";
import { startup } from "./build/cases/startup.ts";
import { verify } from "./build/cases/verify.ts";
import { describeMachine } from "./build/machine.ts";
import { type CaseName, type Options, readOptions, USAGE } from "./build/options.ts";
import { type Report, renderReport } from "./build/report.ts";
import { requireRoom } from "./build/room.ts";
import type { Row } from "./build/row.ts";
import { createWorkspace } from "./build/workspace.ts";
import { inFolder, runBenchmark, runCases } from "./support/main.ts";

/**
 * `npm run bench:build`: what the builder takes, beside native tools on the same files, as a table on standard output.
 * A missed target is said and is no failure: how busy a machine is must not decide whether a change passes.
 */
const MEASURES: Readonly<Record<CaseName, (bench: Bench) => Promise<Row[]>>> = {
  download,
  limited,
  pack,
  verify,
  memory,
  startup,
};

async function measureAll(options: Options, signal: AbortSignal): Promise<Report> {
  const machine = describeMachine(options.dir);
  await requireRoom(options);
  const rows = await inFolder(options.dir, async (folder) => {
    console.error("compiling and packing ferry");
    const bench = createBench(options, await createWorkspace(folder, signal));
    try {
      return await runCases(MEASURES, options.cases, bench);
    } finally {
      await bench.close();
    }
  });
  return { machine, notes: notesOf(options), rows };
}

function notesOf({ size, files, rounds }: Options): string[] {
  return [
    `${size / 2 ** 20} MiB in ${files} files from one nginx worker on loopback; ${rounds} rounds, each program once a round in changing order, \`sync\` before each.`,
    "Every program's time is that of its whole process, with its start. `ferry` flushes to the disk what it stores and packs; the others do not, unless `sync` is named.",
    "`curl + openssl`: `curl -o FILE URL`, then `openssl dgst -sha256 FILE`, file by file. `aria2c`: `aria2c -x4 --checksum=sha-256=… URL`, file by file; the one file with `-x8 -s8`.",
    "One core, two cores: both programs held to them by `taskset`. Memory is the kernel's `VmHWM`, bytes written its `wchar`.",
  ];
}

await runBenchmark({ usage: USAGE, readOptions, measure: measureAll, render: renderReport });
