import type { Bench, MadeBundle } from "../bench.ts";
import type { Sample } from "../rounds.ts";
import { limitRow, type Row } from "../row.ts";
import { ferryVerify } from "./verify.ts";

const LIMIT = 200e6;

/** The most memory that the installed program takes for the whole way of the files. */
export async function memory(bench: Bench): Promise<Row[]> {
  const { size, files, large, largeSize } = bench.options;
  const rows = await memoryOf(bench, await bench.bundle(), `${gib(size)} in ${files} files`);
  if (!large) return rows;
  console.error("  one large file");
  await bench.workspace.remove("many-store", "many.tar");
  const made = await bench.build(await bench.sparse(largeSize));
  return [...rows, ...(await memoryOf(bench, made, `${gib(largeSize)} in one file`))];
}

async function memoryOf(bench: Bench, made: MadeBundle, what: string): Promise<Row[]> {
  const verified = await ferryVerify(bench, made).run();
  return [
    limitRow(`peak memory, ferry build of ${what}`, [peakOf(made.built)], LIMIT),
    limitRow(`peak memory, ferry verify of ${what}`, [peakOf(verified)], LIMIT),
  ];
}

function peakOf({ peak }: Sample): number {
  if (peak === undefined) throw new Error("the peak memory was not measured");
  return peak;
}

function gib(bytes: number): string {
  return bytes < 2 ** 30
    ? `${Math.round(bytes / 2 ** 20)} MiB`
    : `${Number((bytes / 2 ** 30).toFixed(1))} GiB`;
}
