import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type Lock,
  lockDifferences,
  readLock,
  renderLock,
  requireLockFor,
  requireSameAsLock,
  specDigest,
} from "../../src/bundle/lock.ts";
import { parseSpec } from "../../src/bundle/spec.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { tmpDir } from "../support/tmp.ts";

const SPEC = parseSpec("name: a\nengines:\n  - engine: uv\n    versions: [latest]\n", "s.yaml");
const FILE = {
  path: "o/r/releases/download/1/f",
  assetId: 7,
  size: 3,
  digest: digestOf("abc"),
  trust: "github" as const,
  updatedAt: "2026-01-01T00:00:00Z",
};
const LOCK: Lock = {
  lockVersion: 1,
  name: "a",
  spec: specDigest(SPEC),
  latest: { uv: "0.12.23" },
  releases: [{ repo: "o/r", tag: "1", id: 1, publishedAt: null }],
  builds: [{ engine: "uv", version: "0.12.23", arch: "amd64", variant: "x86_64", files: [FILE.path] }],
  files: [FILE],
};

describe("lockDifferences", () => {
  it("finds none between equals", () => {
    expect(lockDifferences(LOCK, structuredClone(LOCK))).toEqual([]);
  });

  it.each<[string, Partial<Lock>, RegExp]>([
    [
      "a release made anew",
      { releases: [{ repo: "o/r", tag: "1", id: 2, publishedAt: null }] },
      /release o\/r 1 with id 1: locked/,
    ],
    ["a build that is gone", { builds: [] }, /build uv 0\.12\.23 amd64 x86_64 .*no longer offered/],
    [
      "a file more",
      { files: [FILE, { ...FILE, path: "o/r/releases/download/1/g" }] },
      /file .*\/g: offered, and not in the lock/,
    ],
    ["a file less", { files: [] }, /file .*\/f: locked, and no longer offered/],
    [
      "the same bytes uploaded anew",
      { files: [{ ...FILE, assetId: 8 }] },
      /asset id 7 is locked, upstream has 8/,
    ],
  ])("names %s", (_what, change, words) => {
    expect(lockDifferences(LOCK, { ...LOCK, ...change }).join("\n")).toMatch(words);
    expect(() => {
      requireSameAsLock(LOCK, { ...LOCK, ...change }, "l.json");
    }).toThrow(expect.objectContaining({ code: "LOCK_MISMATCH" }));
  });
});

it("refuses a lock of another spec, before anything is asked", () => {
  const other = parseSpec("name: a\nengines:\n  - engine: uv\n    versions: [0.12.23]\n", "s.yaml");
  expect(() => {
    requireLockFor(LOCK, SPEC, "l.json");
  }).not.toThrow();
  expect(() => {
    requireLockFor(LOCK, other, "l.json");
  }).toThrow(expect.objectContaining({ code: "LOCK_MISMATCH" }));
});

it("reads what it writes", async () => {
  const path = join(await tmpDir(), "l.json");
  await writeFile(path, renderLock(LOCK));
  expect(await readLock(path)).toEqual(LOCK);
});

it.each([
  ["not JSON", "{"],
  ["another version", JSON.stringify({ ...LOCK, lockVersion: 2 })],
  ["an unknown key", JSON.stringify({ ...LOCK, extra: 1 })],
  ["a path that climbs", JSON.stringify({ ...LOCK, files: [{ ...FILE, path: "../x" }] })],
  ["a digest of another kind", JSON.stringify({ ...LOCK, files: [{ ...FILE, digest: "md5:1" }] })],
])("refuses a lock with %s", async (_what, text) => {
  const path = join(await tmpDir(), "l.json");
  await writeFile(path, text);
  await expect(readLock(path)).rejects.toMatchObject({ code: "LOCKFILE_INVALID" });
});
