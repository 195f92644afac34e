import type { Bench } from "../bench.ts";
import { shell } from "../command.ts";
import { type Contender, playRounds } from "../rounds.ts";
import { compareRow, type Row } from "../row.ts";

/** So short a run needs more of them. */
const ROUNDS = 15;

/** How long the installed program takes until it has said something. */
export async function startup(bench: Bench): Promise<Row[]> {
  const contenders = {
    ferry: program(bench, "ferry --help", [bench.workspace.ferry, "--help"]),
    node: program(bench, "node -e 0", ["-e", "0"]),
  };
  const { ferry, node } = await playRounds(contenders, ROUNDS, () => Promise.resolve());
  return [compareRow("ferry --help", "wall", ferry, { name: contenders.node.name, samples: node }, 3)];
}

function program({ workspace }: Bench, name: string, args: readonly string[]): Contender {
  return {
    name,
    run: () => workspace.run(shell([process.execPath, ...args])),
    clean: () => Promise.resolve(),
  };
}
