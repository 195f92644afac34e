import pLimit from "p-limit";

/**
 * Runs `work` on every item, `concurrency` (at least 1) at a time. After a failure nothing more begins, and nothing runs
 * any more when it is thrown: whoever catches it may close what `work` uses.
 */
export async function inParallel<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const limit = pLimit(concurrency);
  const unlessFailed = async (item: T): Promise<void> => {
    if (failures.length > 0) return;
    try {
      await work(item);
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(items.map((item) => limit(unlessFailed, item)));
  if (failures.length > 0) throw failures[0];
}
