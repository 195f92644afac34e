import { expect, it } from "vitest";
import { digestOf, hexOf, isDigest, parseDigest, shortDigest } from "../../src/lib/digest.ts";

const EMPTY = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

it("hashes and takes digests apart", () => {
  expect(digestOf("")).toBe(EMPTY);
  expect(hexOf(digestOf(""))).toHaveLength(64);
  expect(shortDigest(digestOf(""))).toBe("e3b0c44298fc");
});

it.each([
  EMPTY.slice(0, -1),
  EMPTY.replace("sha256", "sha512"),
  `${EMPTY}\n`,
  EMPTY.toUpperCase(),
  "",
  "sha256:../../x",
])("refuses %j as a digest", (text) => {
  expect(isDigest(text)).toBe(false);
});

it("reads upper-case digits, as some checksum files have them", () => {
  expect(parseDigest(`sha256:${hexOf(digestOf("")).toUpperCase()}`)).toBe(EMPTY);
  expect(parseDigest("md5:abc")).toBeUndefined();
});
