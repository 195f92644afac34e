import { mkdtemp, realpath, rm } from "node:fs/promises";
import { join } from "node:path";

interface Benchmark<Options, Report> {
  usage: string;
  /** Throws an Error in words for an option that cannot be understood. */
  readOptions: (argv: readonly string[]) => Options | "help";
  measure: (options: Options, signal: AbortSignal) => Promise<Report>;
  render: (report: Report) => string;
}

/** Runs a benchmark as this process: its report on standard output, what went wrong in a sentence on standard error. */
export async function runBenchmark<Options extends { json: boolean }, Report>(
  benchmark: Benchmark<Options, Report>,
): Promise<void> {
  const options = understood(benchmark);
  if (options === undefined) return;
  if (options === "help") {
    console.log(benchmark.usage);
    return;
  }
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.once(name, () => {
      stop.abort(new Error(`ended by ${name}`));
    });
  }
  try {
    const report = await benchmark.measure(options, stop.signal);
    console.log(options.json ? JSON.stringify(report) : benchmark.render(report));
  } catch (error) {
    fail(error, 1);
  }
}

function understood<Options, Report>({
  usage,
  readOptions,
}: Benchmark<Options, Report>): Options | "help" | undefined {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    fail(error, 2);
    console.error(usage);
    return undefined;
  }
}

function fail(error: unknown, code: number): void {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = code;
}

/** Gives `work` a temporary folder below `dir`, which is removed afterwards. */
export async function inFolder<T>(dir: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(await realpath(dir), "ferry-bench-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The rows of the chosen cases, in the order in which `measures` has them. */
export async function runCases<Name extends string, Bench, Row>(
  measures: Readonly<Record<Name, (bench: Bench) => Promise<Row[]>>>,
  chosen: ReadonlySet<Name>,
  bench: Bench,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, measure] of Object.entries(measures) as [Name, (bench: Bench) => Promise<Row[]>][]) {
    if (!chosen.has(name)) continue;
    console.error(`${name}:`);
    rows.push(...(await measure(bench)));
  }
  return rows;
}
