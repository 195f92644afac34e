import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { inParallel } from "../../src/lib/in-parallel.ts";

it("works on so many at a time, and begins nothing after a failure", async () => {
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  const done = inParallel([1, 2, 3, 4, 5, 6], 2, async (item) => {
    begun.push(item);
    most = Math.max(most, ++running);
    await nextTurn();
    running--;
    if (item === 3) throw new Error("three");
  });
  await expect(done).rejects.toThrow("three");
  expect(running).toBe(0);
  expect(most).toBe(2);
  expect(begun).not.toContain(6);
});
