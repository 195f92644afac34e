import { expect, it } from "vitest";
import {
  bestWheel,
  glibcOfPackages,
  machineOf,
  oldestGlibc,
  type WheelTarget,
} from "../../src/wire/wheel-fit.ts";

const amd64: WheelTarget = { python: "3.12", arch: "amd64", glibc: "2.35" };
const arm64: WheelTarget = { python: "3.12", arch: "arm64", glibc: "2.35" };

function named(tags: string): string {
  return `small-1.0-${tags}.whl`;
}

it.each<[string, WheelTarget["arch"], string | undefined]>([
  ["cp312-cp312-manylinux_2_28_x86_64", "amd64", "2.28"],
  ["cp312-cp312-manylinux_2_28_x86_64", "arm64", undefined],
  ["cp312-cp312-manylinux1_x86_64.manylinux_2_28_x86_64.manylinux_2_5_x86_64", "amd64", "2.5"],
  ["cp312-cp312-manylinux1_x86_64", "amd64", "2.5"],
  ["cp312-cp312-manylinux2010_x86_64", "amd64", "2.12"],
  ["cp312-cp312-manylinux2014_aarch64", "arm64", "2.17"],
  ["cp312-cp312-manylinux_2_34_aarch64.manylinux_2_31_x86_64", "arm64", "2.34"],
  ["py3-none-any", "amd64", undefined],
  ["cp312-cp312-linux_x86_64", "amd64", undefined],
  ["cp312-cp312-manylinux_2_28_x86_64.linux_x86_64", "amd64", undefined],
  ["cp312-cp312-musllinux_1_2_x86_64", "amd64", undefined],
])("%s on %s needs glibc %s", (tags, arch, glibc) => {
  expect(glibcOfPackages([[named(tags)]], arch)).toBe(glibc);
});

it.each<[string, WheelTarget, boolean]>([
  ["py3-none-any", amd64, true],
  ["py2.py3-none-any", arm64, true],
  ["py2-none-any", amd64, false],
  ["cp312-cp312-manylinux_2_35_x86_64", amd64, true],
  ["cp312-cp312-manylinux_2_36_x86_64", amd64, false],
  ["cp312-cp312-manylinux_2_17_x86_64", arm64, false],
  ["cp312-cp312-manylinux_2_12_aarch64", arm64, false],
  ["cp38-abi3-manylinux_2_31_x86_64", amd64, true],
  ["cp313-abi3-manylinux_2_31_x86_64", amd64, false],
  ["cp311-cp311-manylinux_2_31_x86_64", amd64, false],
  ["cp312-cp312t-manylinux_2_31_x86_64", amd64, false],
  ["cp311-none-any", amd64, false],
  ["cp312-none-any", amd64, true],
  ["py310-none-manylinux2014_x86_64", amd64, true],
  ["cp312-cp312-linux_aarch64", arm64, true],
  ["cp312-cp312-musllinux_1_2_x86_64", amd64, false],
  ["cp312-cp312-win_amd64", amd64, false],
])("%s on %o fits: %s", (tags, target, fits) => {
  expect(bestWheel([named(tags)], (name) => name, target) !== undefined).toBe(fits);
});

it.each([
  [["py3-none-any", "cp312-cp312-manylinux_2_28_x86_64", "cp37-abi3-manylinux_2_28_x86_64"], 1],
  [["cp312-cp312-manylinux_2_17_x86_64", "cp312-cp312-manylinux_2_28_x86_64"], 1],
  [["cp37-abi3-manylinux_2_28_x86_64", "cp312-none-manylinux_2_5_x86_64", "cp38-abi3-linux_x86_64"], 1],
  [["py3-none-any", "py312-none-any"], 1],
  [["py3-none-manylinux2014_x86_64", "py3-none-manylinux_2_17_x86_64"], 1],
  [["py3-none-any", "cp312-cp312-win_amd64", "cp312-cp312-manylinux_2_39_x86_64"], 0],
])("of %j uv takes number %d", (tags, index) => {
  const names = tags.map(named);
  expect(bestWheel(names, (name) => name, amd64)).toBe(names[index]);
});

it("prefers the higher build of the same tags", () => {
  const names = ["", "-2", "-10", "-2a"].map((build) => `small-1.0${build}-py3-none-any.whl`);
  expect(bestWheel(names, (name) => name, amd64)).toBe("small-1.0-10-py3-none-any.whl");
  expect(
    bestWheel(
      names.filter((name) => !name.includes("10")),
      (name) => name,
      amd64,
    ),
  ).toBe("small-1.0-2a-py3-none-any.whl");
});

it("finds none where none fits", () => {
  expect(
    bestWheel(["small-1.0.tar.gz", "small-1.0-py2-none-any.whl"], (name) => name, amd64),
  ).toBeUndefined();
});

it("knows the oldest glibc of an architecture's wheels", () => {
  expect([oldestGlibc("amd64"), oldestGlibc("arm64")]).toEqual(["2.5", "2.17"]);
});

it("knows the machines", () => {
  expect([machineOf("amd64"), machineOf("arm64")]).toEqual(["x86_64", "aarch64"]);
});

it("needs of each package the oldest glibc, and of all the newest", () => {
  const packages = [
    ["a-1-cp312-cp312-manylinux_2_34_x86_64.whl", "a-1-cp312-cp312-manylinux_2_17_x86_64.whl"],
    ["b-1-cp312-cp312-manylinux_2_39_x86_64.whl", "b-1-py3-none-any.whl"],
    ["c-1-cp38-abi3-manylinux_2_28_x86_64.manylinux_2_31_x86_64.whl"],
    ["d-1-cp38-abi3-manylinux_2_36_aarch64.whl", "no wheel"],
  ];
  expect(glibcOfPackages(packages, "amd64")).toBe("2.28");
  expect(glibcOfPackages(packages, "arm64")).toBe("2.36");
  expect(glibcOfPackages([["b-1-py3-none-any.whl"], []], "amd64")).toBeUndefined();
});
