import { expect, it } from "vitest";
import { differences } from "../../../src/upstream/python/differences.ts";
import type { LockedFile, LockedPackage } from "../../../src/upstream/python/replay.ts";

const file = (more: Partial<LockedFile> = {}): LockedFile => ({
  filename: "a-1-py3-none-any.whl",
  sha256: "00",
  size: 1,
  uploadTime: "2026-01-01T00:00:00Z",
  byAddress: false,
  ...more,
});
const one = (more: Partial<LockedPackage> = {}): LockedPackage => ({
  name: "a",
  version: "1",
  marker: undefined,
  files: [file()],
  ...more,
});

it.each<[string, LockedPackage[], string[]]>([
  ["nothing else", [one()], []],
  ["a package less", [], ["a 1 is in the lock alone"]],
  ["a package more", [one(), one({ name: "b", version: "2" })], ["b 2 is not in the lock"]],
  ["another version", [one({ version: "2" })], ["a: version is 1 in the lock and 2 now"]],
  ["a marker", [one({ marker: "x" })], ["a: marker is absent in the lock and x now"]],
  [
    "another file",
    [one({ files: [file({ filename: "b.whl" })] })],
    ["a: a-1-py3-none-any.whl is in the lock alone", "a: b.whl is not in the lock"],
  ],
  [
    "another digest, size and time",
    [one({ files: [file({ sha256: "11", size: 2, uploadTime: undefined })] })],
    [
      "a-1-py3-none-any.whl: sha256 is 00 in the lock and 11 now",
      "a-1-py3-none-any.whl: size is 1 in the lock and 2 now",
      "a-1-py3-none-any.whl: upload time is 2026-01-01T00:00:00Z in the lock and absent now",
    ],
  ],
  [
    "the same by its address",
    [one({ files: [file({ size: undefined, uploadTime: undefined, byAddress: true })] })],
    [],
  ],
])("tells of %s", (_what, again, expected) => {
  expect(differences([one()], again)).toEqual(expected);
});
