import { expect, it } from "vitest";
import { cudaFamily, normaliseProject, parseWheelName } from "../../src/wire/wheel-name.ts";

it.each([
  ["Markdown_It.py", "markdown-it-py"],
  ["a__b", "a-b"],
  ["dep.A", "dep-a"],
  ["plain", "plain"],
])("normalises %s to %s", (name, normal) => {
  expect(normaliseProject(name)).toBe(normal);
});

it("reads a wheel's name with a local version", () => {
  expect(parseWheelName("torch-2.10.0+cu129-cp312-cp312-manylinux_2_28_x86_64.whl")).toEqual({
    project: "torch",
    version: "2.10.0+cu129",
    build: undefined,
    pythons: ["cp312"],
    abis: ["cp312"],
    platforms: ["manylinux_2_28_x86_64"],
  });
});

it("reads a build number and compressed tag sets", () => {
  const name = "Some_Thing.More-0.23.0-2abc-py2.py3-none.abi3-manylinux2014_x86_64.manylinux_2_17_x86_64.whl";
  expect(parseWheelName(name)).toEqual({
    project: "some-thing-more",
    version: "0.23.0",
    build: { number: 2, rest: "abc" },
    pythons: ["py2", "py3"],
    abis: ["none", "abi3"],
    platforms: ["manylinux2014_x86_64", "manylinux_2_17_x86_64"],
  });
});

it.each([
  "small-1.0.tar.gz",
  "small-1.0-py3-none.whl",
  "small-1.0-x-py3-none-any.whl",
  "a-b-c-1.0-1-py3-none-any.whl",
  "-1.0-py3-none-any.whl",
  "small-1/0-py3-none-any.whl",
  "small-1.0--none-any.whl",
  "torch-2.10.0%2Bcu129-cp312-cp312-any.whl",
])("takes %s for no wheel", (name) => {
  expect(parseWheelName(name)).toBeUndefined();
});

it.each([
  ["2.10.0+cu129", "cu129"],
  ["0.30.0+CU130", "cu130"],
  ["1.0+abc.cu118", "cu118"],
  ["1.0+cpu", undefined],
  ["2.13.0", undefined],
])("finds the CUDA family of %s", (version, family) => {
  expect(cudaFamily(version)).toBe(family);
});
