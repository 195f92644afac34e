import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRequestPath } from "../../server/request-path.ts";

const path = (target: string): string | number => {
  const parsed = parseRequestPath(target);
  return parsed.ok ? parsed.path : parsed.status;
};

describe("a request's path", () => {
  it.each([
    ["/", ""],
    ["/o/r/releases/download/t/a", "o/r/releases/download/t/a"],
    ["/o/r/releases/download/t/a+b", "o/r/releases/download/t/a+b"],
    ["/o/r/releases/download/t/a%2Bb", "o/r/releases/download/t/a+b"],
    ["/o/r/releases/download/t/a%2bb", "o/r/releases/download/t/a+b"],
    ["/o/r/releases/download/gopls%2Fv0.23.0/a", "o/r/releases/download/gopls/v0.23.0/a"],
    ["/o/r/releases/download/gopls/v0.23.0/a", "o/r/releases/download/gopls/v0.23.0/a"],
    ["//o//r/", "o/r"],
    ["/a?b=/../..", "a"],
    ["http://mirror:8080/o/r", "o/r"],
    ["/%e2%82%ac", "€"],
  ])("M6: %s is %s", (target, expected) => {
    expect(path(target)).toBe(expected);
  });

  it.each([
    ["/..%2f..%2fetc%2fpasswd", 400],
    ["/../../etc/passwd", 400],
    ["/%2e%2e/etc/passwd", 400],
    ["/a/./b", 400],
    ["/a%00b", 400],
    ["/a\\b", 400],
    ["/a%5c..%5cb", 400],
    ["/%zz", 400],
    ["/%", 400],
    ["/%ff", 400],
    ["/a%0d%0ab", 400],
    ["*", 400],
    ["", 400],
    ["etc/passwd", 400],
    [`/${"a".repeat(8192)}`, 414],
  ])("M7: %s is refused", (target, status) => {
    expect(path(target)).toBe(status);
  });

  it("keeps the query for those who want it", () => {
    expect(parseRequestPath("/a?per_page=3&page=2")).toMatchObject({ path: "a", query: "per_page=3&page=2" });
  });

  it("says whether a router may read the target as it came", () => {
    const plain = (target: string): boolean => {
      const parsed = parseRequestPath(target);
      return parsed.ok && parsed.plain;
    };
    expect(["/", "/a/b", "/a/b?c", "/a%2Bb"].map(plain)).toEqual([true, true, true, true]);
    expect(["//a", "/a//b", "/a/", "http://x/a"].map(plain)).toEqual([false, false, false, false]);
  });

  it("M7: whatever comes, it never throws, and no part leads elsewhere", () => {
    const pieces = fc.constantFrom(
      "..",
      ".",
      "%2e",
      "%2E%2e",
      "/",
      "%2f",
      "\\",
      "%5c",
      "%00",
      "%",
      "a",
      "+",
      "%2B",
      "?",
      "é",
    );
    const target = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(pieces).map((parts) => `/${parts.join("")}`),
    );
    fc.assert(
      fc.property(target, (text) => {
        const parsed = parseRequestPath(text);
        if (!parsed.ok) return;
        for (const segment of parsed.path === "" ? [] : parsed.path.split("/")) {
          expect(segment).not.toMatch(/^\.{0,2}$/);
          // eslint-disable-next-line no-control-regex -- that there is none is what is tested
          expect(segment).not.toMatch(/[/\\\u0000-\u001f]/);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
