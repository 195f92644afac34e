import { describe, expect, it } from "vitest";
import { lineProgress, type ProgressDisplay, terminalProgress } from "../../../src/cli/render/progress.ts";
import { createMeter } from "../../../src/cli/render/progress-meter.ts";
import type { Clock } from "../../../src/lib/clock.ts";

class HandClock implements Clock {
  at = 0;
  now = (): number => this.at;
  sleep = (ms: number): Promise<void> => {
    this.at += ms;
    return Promise.resolve();
  };
}

/** One file of 10 MB that receives 1 MB every `step` milliseconds. */
function runFile(display: ProgressDisplay, clock: HandClock, step: number, id = "a"): void {
  display.handle({ kind: "start", id, label: `${id}.tar.gz`, total: 10_000_000, done: 0 });
  for (let i = 0; i < 10; i++) {
    clock.at += step;
    display.handle({ kind: "advance", id, bytes: 1_000_000 });
  }
  display.handle({ kind: "end", id, ok: true });
}

describe("progress on a terminal", () => {
  it("is one line that redraws itself and is gone at the end", () => {
    const clock = new HandClock();
    const written: string[] = [];
    const display = terminalProgress({ write: (text) => written.push(text), clock, columns: () => 80 });
    runFile(display, clock, 1000);
    display.close();
    expect(written[5]).toBe("\r\u001b[2Ka.tar.gz, 5.00 MB of 10.0 MB, 1.00 MB/s, 5 s left");
    expect(written.at(-1)).toBe("\r\u001b[2K");
    expect(written.join("")).not.toContain("\n");
  });

  it("is drawn five times a second at most, and never wider than the terminal", () => {
    const clock = new HandClock();
    const written: string[] = [];
    const display = terminalProgress({ write: (text) => written.push(text), clock, columns: () => 20 });
    runFile(display, clock, 10);
    expect(written).toEqual(["\r\u001b[2Ka.tar.gz, 0 B of 10", "\r\u001b[2K"]);
  });

  it("makes room for messages, and says nothing after its end", () => {
    const clock = new HandClock();
    const written: string[] = [];
    const display = terminalProgress({ write: (text) => written.push(text), clock, columns: () => 80 });
    display.clear();
    expect(written).toEqual([]);
    display.handle({ kind: "start", id: "a", label: "a", total: 5, done: 0 });
    display.clear();
    display.clear();
    expect(written).toHaveLength(2);
    display.close();
    clock.at += 1000;
    display.handle({ kind: "advance", id: "a", bytes: 1 });
    expect(written).toHaveLength(2);
  });
});

describe("progress in a log", () => {
  it("is a line every five seconds, also across files", () => {
    const clock = new HandClock();
    const written: string[] = [];
    const display = lineProgress({ write: (text) => written.push(text), clock });
    runFile(display, clock, 300, "a");
    runFile(display, clock, 300, "b");
    display.clear();
    display.close();
    runFile(display, clock, 5000, "c");
    expect(written).toEqual(["b.tar.gz, 7.00 MB of 10.0 MB, 3.33 MB/s, 1 s left\n"]);
  });
});

describe("the meter", () => {
  it("sums files up, and counts from where a file goes on or begins again", () => {
    const meter = createMeter();
    meter.note({ kind: "start", id: "a", label: "a", total: 1000, done: 400 }, 0);
    meter.note({ kind: "start", id: "b", label: "b", total: 1000, done: 0 }, 0);
    meter.note({ kind: "advance", id: "a", bytes: 600 }, 1000);
    meter.note({ kind: "end", id: "a", ok: true }, 1000);
    meter.note({ kind: "advance", id: "b", bytes: 400 }, 2000);
    expect(meter.describe(2000)).toBe("1 of 2 files, 1.40 kB of 2.00 kB, 500 B/s, 1 s left");
    meter.note({ kind: "rewind", id: "b", done: 0 }, 2000);
    meter.note({ kind: "advance", id: "unknown", bytes: 7 }, 2000);
    expect(meter.describe(2000)).toContain("1.00 kB of 2.00 kB");
    expect(meter.idle).toBe(false);
  });

  it("names no rate before there is one, and never more done than there is", () => {
    const meter = createMeter();
    meter.note({ kind: "start", id: "a", label: "a", total: 0, done: 0 }, 0);
    expect(meter.describe(0)).toBe("a, 0 B of 0 B");
    meter.note({ kind: "advance", id: "a", bytes: 50 }, 1000);
    expect(meter.describe(1000)).toBe("a, 50 B of 50 B, 50 B/s");
  });

  it("goes by the last seconds: a stall shows as a rate that falls to nothing", () => {
    const meter = createMeter();
    meter.note({ kind: "start", id: "a", label: "a", total: 10_000, done: 0 }, 0);
    meter.note({ kind: "advance", id: "a", bytes: 1000 }, 1000);
    expect(meter.describe(30_000)).toBe("a, 1.00 kB of 10.0 kB, 0 B/s");
  });

  it("begins anew with work that starts after everything ended", () => {
    const meter = createMeter();
    meter.note({ kind: "start", id: "a", label: "a", total: 10, done: 10 }, 0);
    meter.note({ kind: "end", id: "a", ok: true }, 0);
    expect(meter.idle).toBe(true);
    meter.note({ kind: "start", id: "w", label: "write", total: 20, done: 0 }, 0);
    expect(meter.describe(0)).toBe("write, 0 B of 20 B");
  });
});
