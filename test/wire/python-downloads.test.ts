import { expect, it } from "vitest";
import { pythonDownloads } from "../../src/wire/python-downloads.ts";

it("lists interpreters as uv's own table does, in the order of their keys", () => {
  const sha256 = "ab".repeat(32);
  const table = pythonDownloads([
    {
      key: "cpython-3.15.0rc1-linux-aarch64-gnu",
      arch: "arm64",
      version: "3.15.0rc1",
      build: "20261003",
      url: "http://m/b",
      sha256,
    },
    {
      key: "cpython-3.12.15-linux-x86_64-gnu",
      arch: "amd64",
      version: "3.12.15",
      build: "20261003",
      url: "http://m/a",
      sha256,
    },
  ]);
  expect(Object.keys(table)).toEqual([
    "cpython-3.12.15-linux-x86_64-gnu",
    "cpython-3.15.0rc1-linux-aarch64-gnu",
  ]);
  expect(table["cpython-3.12.15-linux-x86_64-gnu"]).toEqual({
    name: "cpython",
    arch: { family: "x86_64", variant: null },
    os: "linux",
    libc: "gnu",
    major: 3,
    minor: 12,
    patch: 15,
    prerelease: "",
    url: "http://m/a",
    sha256,
    variant: null,
    build: "20261003",
  });
  expect(table["cpython-3.15.0rc1-linux-aarch64-gnu"]).toMatchObject({
    arch: { family: "aarch64", variant: null },
    patch: 0,
    prerelease: "rc1",
  });
});
