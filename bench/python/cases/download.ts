import { aria2List, ferryFetch } from "../../build/fetchers.ts";
import { writeOrigin } from "../../build/origin.ts";
import { playRounds, type Sample } from "../../build/rounds.ts";
import { compare, limit, type Row } from "../../serve/row.ts";
import { startNginx } from "../../support/nginx.ts";
import type { Bench } from "../bench.ts";
import { wheelSizes } from "../wheel-sizes.ts";

const COUNT = 200;
const TAG = "wheels";

/** The wheels of a large lock, fetched and verified. */
export async function download(bench: Bench): Promise<Row[]> {
  const { rounds, size } = bench.options;
  const workspace = await bench.workspace();
  const root = workspace.at("origin");
  console.error("making the wheels");
  const files = await writeOrigin(root, TAG, wheelSizes(COUNT, size));
  const nginx = await startNginx({ root });
  try {
    const origin = { tag: TAG, base: nginx.url, files };
    const contenders = {
      ferry: ferryFetch({ workspace }, origin),
      five: aria2List({ workspace }, origin),
      sixteen: aria2List({ workspace }, origin, 16),
    };
    const samples = await playRounds(contenders, rounds, workspace.settle);
    const against = (other: "five" | "sixteen"): Row =>
      compare(
        `download of ${COUNT} wheels`,
        "s",
        samples.ferry.map(({ wall }) => wall),
        { name: contenders[other].name, values: samples[other].map(({ wall }) => wall) },
        { most: 1.2 },
      );
    return [
      against("five"),
      against("sixteen"),
      limit(`peak memory, download of ${COUNT} wheels`, "MB", samples.ferry.map(peakOf), { most: 250 }),
    ];
  } finally {
    await nginx.stop();
    await workspace.remove("origin");
  }
}

function peakOf({ peak }: Sample): number {
  if (peak === undefined) throw new Error("the peak memory was not measured");
  return peak / 1e6;
}
