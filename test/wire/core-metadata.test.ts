import { expect, it } from "vitest";
import { parseCoreMetadata } from "../../src/wire/core-metadata.ts";

it("reads the headers and not the description", () => {
  const text =
    "Metadata-Version: 2.1\r\nName: Small_Thing\r\nVersion: 1.0\r\nRequires-Python: >=3.9\r\n\r\nName: other\r\n";
  expect(parseCoreMetadata(text)).toEqual({ name: "Small_Thing", version: "1.0", requiresPython: ">=3.9" });
});

it("takes a header that goes on in the next line", () => {
  const text = "Name: a\nVersion: 1\nRequires-Python: >=3.8,\n  <4\nSummary: b\n";
  expect(parseCoreMetadata(text)?.requiresPython).toBe(">=3.8, <4");
});

it("takes headers in any case, and none for none", () => {
  expect(parseCoreMetadata("name: a\nVERSION: 2\nRequires-Python:\n")).toEqual({
    name: "a",
    version: "2",
    requiresPython: undefined,
  });
});

it.each(["", "Name: a\n", "Version: 1\n\nName: a\n"])("gives nothing for %j", (text) => {
  expect(parseCoreMetadata(text)).toBeUndefined();
});
