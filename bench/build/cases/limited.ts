import type { Bench } from "../bench.ts";
import { aria2, ferryFetch } from "../fetchers.ts";
import { playRounds } from "../rounds.ts";
import { compareRow, type Row } from "../row.ts";

const SIZE = 512 * 1024 * 1024;

/** One large file from a server that gives each connection 20 MiB a second: only several connections help. */
export async function limited(bench: Bench): Promise<Row[]> {
  const size = Math.min(SIZE, bench.options.size);
  const origin = await bench.limited(size, "20m");
  const contenders = { ferry: ferryFetch(bench, origin), aria2: aria2(bench, origin, 8) };
  const { ferry, aria2: aria } = await playRounds(contenders, bench.options.rounds, bench.settle);
  return [
    compareRow(
      `download of one file of ${size / 2 ** 20} MiB, 20 MiB/s a connection`,
      "wall",
      ferry,
      { name: contenders.aria2.name, samples: aria },
      1.15,
    ),
  ];
}
