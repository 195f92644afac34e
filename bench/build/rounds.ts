/** What one run took: seconds, and bytes where they were measured. */
export interface Sample {
  wall: number;
  cpu: number;
  /** Most memory that the process had at once. */
  peak?: number;
  /** Given to write calls. */
  written?: number;
}

export interface Contender {
  name: string;
  /** One run, from a clean state to the result, which it also checks. */
  run: () => Promise<Sample>;
  /** Removes what a run made; not measured. */
  clean: () => Promise<void>;
}

/**
 * Runs every contender once a round, in turns that change from round to round. The samples of one contender are in the
 * order of the rounds. `settle` is called before each run.
 */
export async function playRounds<Name extends string>(
  contenders: Readonly<Record<Name, Contender>>,
  rounds: number,
  settle: () => Promise<void>,
): Promise<Record<Name, Sample[]>> {
  const names = Object.keys(contenders) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Sample[]>;
  for (let round = 0; round < rounds; round++) {
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const contender = contenders[name];
      await settle();
      const sample = await contender.run();
      await contender.clean();
      samples[name].push(sample);
      console.error(`  round ${round + 1}/${rounds} ${contender.name}: ${sample.wall.toFixed(2)} s`);
    }
  }
  return samples;
}
