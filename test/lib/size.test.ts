import { expect, it } from "vitest";
import { formatBytes, formatDuration } from "../../src/lib/size.ts";

it.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.00 kB"],
  [999_499, "999 kB"],
  [999_500, "1.00 MB"],
  [17_551_840, "17.6 MB"],
  [594_377_795, "594 MB"],
  [1_407_056_337, "1.41 GB"],
  [2e18, "2000 PB"],
])("formatBytes(%i) is %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

it.each([
  [-1, "0 s"],
  [4.4, "4 s"],
  [60, "1 min"],
  [125, "2 min 5 s"],
  [3600, "1 h"],
  [3780, "1 h 3 min"],
])("formatDuration(%d) is %s", (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});
