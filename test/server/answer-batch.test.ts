import { describe, expect, it } from "vitest";
import { createBatch } from "../../server/answer-batch.ts";

describe("a batch of answers", () => {
  function batchInSteps() {
    const turns: (() => void)[] = [];
    const batch = createBatch((run) => turns.push(run));
    return { batch, turns };
  }

  it("runs what came in one turn together, in order", () => {
    const { batch, turns } = batchInSteps();
    const done: string[] = [];
    batch(() => done.push("first"));
    batch(() => done.push("second"));
    expect(done).toEqual([]);
    expect(turns.length).toBe(1);
    turns[0]?.();
    expect(done).toEqual(["first", "second"]);
  });

  it("leaves what comes while it runs to the next turn", () => {
    const { batch, turns } = batchInSteps();
    const done: string[] = [];
    batch(() => {
      done.push("first");
      batch(() => done.push("second"));
    });
    turns[0]?.();
    expect(done).toEqual(["first"]);
    turns[1]?.();
    expect(done).toEqual(["first", "second"]);
  });

  it("loses none behind one that fails", () => {
    const { batch, turns } = batchInSteps();
    const done: string[] = [];
    batch(() => done.push("first"));
    batch(() => {
      throw new Error("of the second");
    });
    batch(() => done.push("third"));
    expect(() => turns[0]?.()).toThrow("of the second");
    turns[1]?.();
    expect(done).toEqual(["first", "third"]);
  });
});
