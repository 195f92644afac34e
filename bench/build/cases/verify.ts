import { type Bench, type MadeBundle, PUBLIC_KEY } from "../bench.ts";
import { shell } from "../command.ts";
import { allowedCpus } from "../machine.ts";
import { type Contender, playRounds } from "../rounds.ts";
import { compareRow, type Row } from "../row.ts";

/** Signature and every digest of a bundle file, by the installed program. */
export async function verify(bench: Bench): Promise<Row[]> {
  const made = await bench.bundle();
  const cpus = allowedCpus();
  const one = await onCpus(bench, made, cpus.slice(0, 1), "verify a bundle, one core", 1.15);
  if (cpus.length < 2) {
    console.error("  only one core: verify with two is not measured");
    return [one];
  }
  return [one, await onCpus(bench, made, cpus.slice(0, 2), "verify a bundle, two cores", 0.7)];
}

async function onCpus(
  bench: Bench,
  made: MadeBundle,
  cpus: readonly number[],
  what: string,
  target: number,
): Promise<Row> {
  const contenders = { ferry: ferryVerify(bench, made, cpus), openssl: openssl(bench, made, cpus) };
  const { ferry, openssl: digest } = await playRounds(contenders, bench.options.rounds, bench.settle);
  return compareRow(what, "wall", ferry, { name: contenders.openssl.name, samples: digest }, target);
}

export function ferryVerify(
  { workspace }: Bench,
  { bundle }: MadeBundle,
  cpus?: readonly number[],
): Contender {
  const { at, ferry } = workspace;
  return {
    name: "ferry verify",
    run: () =>
      workspace.node(
        [ferry, "verify", at(bundle), "--key", at(PUBLIC_KEY)],
        cpus === undefined ? {} : { cpus },
      ),
    clean: () => Promise.resolve(),
  };
}

function openssl({ workspace }: Bench, { bundle }: MadeBundle, cpus: readonly number[]): Contender {
  const words = ["taskset", "-c", cpus.join(","), "openssl", "dgst", "-sha256", workspace.at(bundle)];
  return { name: "openssl dgst", run: () => workspace.run(shell(words)), clean: () => Promise.resolve() };
}
