import { writeFile } from "node:fs/promises";
import { type Bench, KEY, type MadeBundle } from "../bench.ts";
import { shell } from "../command.ts";
import { artifactOf } from "../origin.ts";
import { type Contender, playRounds } from "../rounds.ts";
import { compareRow, type Row } from "../row.ts";
import { ratios, spread } from "../stats.ts";
import { driver, moduleUrl } from "../workspace.ts";

const OUTPUT = "packed.tar";
const JOB = "pack.json";

/** The files of a store into one bundle. */
export async function pack(bench: Bench): Promise<Row[]> {
  const made = await bench.bundle();
  const contenders = {
    ferry: ferryPack(bench, made),
    tar: gnuTar(bench, made, "tar -cf", []),
    synced: gnuTar(bench, made, "tar -cf, sync", [["sync", bench.workspace.at(OUTPUT)]]),
  };
  const { ferry, tar, synced } = await playRounds(contenders, bench.options.rounds, bench.settle);
  const content = ferry.map(() => bench.options.size);
  const written = ferry.map((sample) => sample.written ?? Number.NaN);
  const ratio = ratios(written, content);
  return [
    compareRow("pack", "wall", ferry, { name: contenders.tar.name, samples: tar }, 1.25),
    compareRow(
      "pack, both flushed to the disk",
      "wall",
      ferry,
      { name: contenders.synced.name, samples: synced },
      1.25,
    ),
    {
      what: "pack, bytes written",
      unit: "bytes",
      ours: spread(written),
      other: { name: "content", value: spread(content) },
      ratio,
      target: 1.02,
      met: ratio.max <= 1.02,
    },
  ];
}

function ferryPack({ workspace }: Bench, { origin, store }: MadeBundle): Contender {
  const { at } = workspace;
  return {
    name: "ferry",
    run: async () => {
      const artifacts = origin.files.map((file) => artifactOf(file, origin.base, origin.tag));
      await writeFile(
        at(JOB),
        JSON.stringify({ artifacts, store: at(store), output: at(OUTPUT), key: at(KEY) }),
      );
      return workspace.node([driver("pack"), moduleUrl(workspace), at(JOB)]);
    },
    clean: () => workspace.remove(OUTPUT, JOB),
  };
}

function gnuTar(
  { workspace }: Bench,
  { origin, store }: MadeBundle,
  name: string,
  more: string[][],
): Contender {
  const blobs = origin.files.map(({ digest }) => digest.slice("sha256:".length)).sort();
  const archive = ["tar", "-cf", workspace.at(OUTPUT), "-C", workspace.at(`${store}/blobs/sha256`), ...blobs];
  return {
    name,
    run: () => workspace.run([archive, ...more].map(shell).join("\n")),
    clean: () => workspace.remove(OUTPUT),
  };
}
