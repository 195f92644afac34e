import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestOf } from "../../../src/lib/digest.ts";
import { FrontierHash } from "../../../src/net/download/frontier-hash.ts";
import { addRange, contiguousEnd, type Range } from "../../../src/net/download/ranges.ts";
import { bytes } from "../support/job.ts";

const CONTENT = bytes(2_000_000);

/** A hash over a file that is held in memory; `log` counts bytes read back. */
function overMemory(content: Buffer): { hash: FrontierHash; log: { readBack: number } } {
  const log = { readBack: 0 };
  const hash = new FrontierHash((buffer, position) => {
    const length = content.copy(buffer, 0, position);
    log.readBack += length;
    return Promise.resolve(length);
  });
  return { hash, log };
}

describe("FrontierHash", () => {
  it("takes bytes in order from memory, and reads nothing back", async () => {
    const { hash, log } = overMemory(CONTENT);
    for (let at = 0; at < CONTENT.length; at += 500_000) {
      const part = CONTENT.subarray(at, at + 500_000);
      hash.offer(at, [part.subarray(0, 7), part.subarray(7)]);
      hash.follow(at + part.length);
    }
    expect(await hash.digest(CONTENT.length)).toBe(digestOf(CONTENT));
    expect(log.readBack).toBe(0);
  });

  it("reads back what came before its turn", async () => {
    const { hash, log } = overMemory(CONTENT);
    hash.offer(1_000_000, [CONTENT.subarray(1_000_000)]);
    hash.offer(0, [CONTENT.subarray(0, 1_000_000)]);
    hash.follow(CONTENT.length);
    expect(await hash.digest(CONTENT.length)).toBe(digestOf(CONTENT));
    expect(log.readBack).toBe(1_000_000);
  });

  it("is right for every order of pieces", async () => {
    const order = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 });
    await fc.assert(
      fc.asyncProperty(order, async (pieces) => {
        const { hash } = overMemory(CONTENT);
        let ranges: Range[] = [];
        for (const piece of pieces) {
          const start = piece * 250_000;
          hash.offer(start, [CONTENT.subarray(start, start + 250_000)]);
          ranges = addRange(ranges, { start, end: start + 250_000 });
          hash.follow(contiguousEnd(ranges));
          if (piece % 2 === 0) await Promise.resolve();
        }
        expect(await hash.digest(CONTENT.length)).toBe(digestOf(CONTENT));
      }),
      { numRuns: 20 },
    );
  });

  it("forgets everything on reset, even while it reads", async () => {
    const { hash } = overMemory(CONTENT);
    hash.follow(CONTENT.length);
    await hash.reset();
    expect(await hash.digest(1000)).toBe(digestOf(CONTENT.subarray(0, 1000)));
  });

  it("says so when the file does not hold what was written", async () => {
    const { hash } = overMemory(CONTENT.subarray(0, 10));
    await expect(hash.digest(11)).rejects.toThrow("the file ends at 10 bytes, 11 were written");
  });
});
