import { expect, it } from "vitest";
import { readWhole, yankedIn } from "../../../src/upstream/python/uv-notes.ts";

it("P17 reads what uv warns of withdrawn releases", () => {
  const notes = `Resolved 2 packages in 8ms
warning: \`Yank.Two==1.0\` is yanked
warning: \`yank==1.0\` is yanked (reason: "bad bug, "really" (yes)")
warning: \`empty==1.0\` is yanked (reason: "")
warning: something else is yanked`;
  expect([...yankedIn(notes)]).toEqual([
    ["yank-two", true],
    ["yank", 'bad bug, "really" (yes)'],
    ["empty", true],
  ]);
});

it("P6 finds the wheels that uv read whole for want of a digest", () => {
  const notes = `DEBUG Sending fresh GET request for: http://x/simple/a/
DEBUG Sending fresh GET request for: http://x/a-1.whl
DEBUG Sending fresh HEAD request for: http://x/b-1.whl#sha256=00
DEBUG Sending fresh GET request for: http://x/b-1.whl#sha256=00
DEBUG Sending fresh GET request for: http://x/c-1.whl.metadata`;
  expect([...(readWhole(notes) ?? [])]).toEqual(["http://x/a-1.whl"]);
});

it("P6 says so where uv tells in other words what it asked for", () => {
  expect(readWhole("DEBUG GET http://x/simple/a/ 200 OK")).toBeUndefined();
  expect(readWhole("DEBUG Found fresh response for: http://x/simple/a/")).toEqual(new Set());
});
