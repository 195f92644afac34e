import { expect, it } from "vitest";
import { canonicalVersion } from "../../src/wire/pep440.ts";

it.each([
  ["0.20", "0.20.0"],
  ["v1.0", "1.0"],
  ["1.0.0-beta1", "1b1"],
  ["1.0alpha", "1.0a0"],
  ["1.0c2", "1.0rc2"],
  ["1.0.POST1", "1.0-1"],
  ["1.0.post", "1.0.post0"],
  ["1.0.dev", "1.0dev0"],
  ["0!1.0", "1"],
  ["2.10.0+CU129", "2.10.0+cu129"],
  ["1.0+ubuntu-1", "1.0+ubuntu.1"],
])("%s and %s are one version", (a, b) => {
  expect(canonicalVersion(a)).toBe(canonicalVersion(b));
});

it.each([
  ["1.0", "1.1"],
  ["1.0", "1.0.post1"],
  ["1.0rc1", "1.0"],
  ["1.0", "1.0+cu129"],
  ["1!1.0", "1.0"],
  ["1.0.dev1", "1.0"],
])("%s and %s are two", (a, b) => {
  expect(canonicalVersion(a)).not.toBe(canonicalVersion(b));
});

it("gives back what is no version, in lower case", () => {
  expect(canonicalVersion("B11347-x")).toBe("b11347-x");
});
