import type { Bench } from "../bench.ts";
import { aria2, curlThenOpenssl, ferryFetch } from "../fetchers.ts";
import { playRounds } from "../rounds.ts";
import { compareRow, type Row } from "../row.ts";

/** Many files from a fast server: fetched, and every digest checked. */
export async function download(bench: Bench): Promise<Row[]> {
  const origin = await bench.files();
  const contenders = {
    ferry: ferryFetch(bench, origin),
    curl: curlThenOpenssl(bench, origin),
    aria2: aria2(bench, origin, 4),
  };
  const { ferry, curl, aria2: aria } = await playRounds(contenders, bench.options.rounds, bench.settle);
  const viaCurl = { name: contenders.curl.name, samples: curl };
  return [
    compareRow("download and verify", "wall", ferry, viaCurl, 1.05),
    compareRow("download and verify, processor time", "cpu", ferry, viaCurl, 1.45),
    compareRow("download and verify", "wall", ferry, { name: contenders.aria2.name, samples: aria }, 0.8),
  ];
}
