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
