import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, it } from "vitest";
import { judge, parseHttpDate, rangeApplies, type Verdict } from "../../server/preconditions.ts";

const etag = '"abc"';
const modified = new Date("1994-11-06T08:49:37.900Z");
const same = "Sun, 06 Nov 1994 08:49:37 GMT";
const before = "Sun, 06 Nov 1994 08:49:36 GMT";
const after = "Sun, 06 Nov 1994 08:49:38 GMT";

describe("judge", () => {
  it.each<[IncomingHttpHeaders, Verdict]>([
    [{}, "proceed"],
    [{ "if-none-match": '"abc"' }, "not-modified"],
    [{ "if-none-match": 'W/"abc"' }, "not-modified"],
    [{ "if-none-match": '"x", W/"y,z" ,"abc"' }, "not-modified"],
    [{ "if-none-match": "*" }, "not-modified"],
    [{ "if-none-match": '"abcd"' }, "proceed"],
    [{ "if-none-match": "abc" }, "proceed"],
    [{ "if-none-match": '"x,"abc"' }, "proceed"],
    [{ "if-modified-since": same }, "not-modified"],
    [{ "if-modified-since": after }, "not-modified"],
    [{ "if-modified-since": before }, "proceed"],
    [{ "if-modified-since": "yesterday" }, "proceed"],
    // A tag counts for more than a time.
    [{ "if-none-match": '"other"', "if-modified-since": same }, "proceed"],
    [{ "if-none-match": '"abc"', "if-modified-since": before }, "not-modified"],
    [{ "if-match": '"abc"' }, "proceed"],
    [{ "if-match": "*" }, "proceed"],
    [{ "if-match": 'W/"abc"' }, "failed"],
    [{ "if-match": '"other"' }, "failed"],
    [{ "if-match": '"abc"', "if-unmodified-since": before }, "proceed"],
    [{ "if-match": '"other"', "if-none-match": '"abc"' }, "failed"],
    [{ "if-unmodified-since": same }, "proceed"],
    [{ "if-unmodified-since": before }, "failed"],
    [{ "if-unmodified-since": "soon" }, "proceed"],
  ])("%j is %s", (headers, verdict) => {
    expect(judge(headers, { etag, modified })).toBe(verdict);
  });

  it("knows no time where none is given", () => {
    expect(judge({ "if-modified-since": after }, { etag })).toBe("proceed");
    expect(judge({ "if-unmodified-since": before }, { etag })).toBe("proceed");
  });

  it("holds a weak tag to be weak", () => {
    expect(judge({ "if-none-match": '"abc"' }, { etag: 'W/"abc"' })).toBe("not-modified");
    expect(judge({ "if-match": 'W/"abc"' }, { etag: 'W/"abc"' })).toBe("failed");
  });
});

describe("rangeApplies", () => {
  it.each([
    [undefined, true],
    ['"abc"', true],
    ['"old"', false],
    ['W/"abc"', false],
    ["abc", false],
    [same, true],
    [before, false],
    [after, false],
    ["", false],
  ])("If-Range %s: %s", (header, applies) => {
    expect(rangeApplies(header, { etag, modified })).toBe(applies);
  });
});

describe("parseHttpDate", () => {
  const seconds = Date.UTC(1994, 10, 6, 8, 49, 37) / 1000;
  it.each([
    [same, seconds],
    ["Sunday, 06-Nov-94 08:49:37 GMT", seconds],
    ["Sun Nov  6 08:49:37 1994", seconds],
    ["1994-11-06T08:49:37Z", undefined],
    ["Sun, 06 Foo 1994 08:49:37 GMT", undefined],
    ["Sun, 06 Nov 1994 08:49:37", undefined],
    ["0", undefined],
    [undefined, undefined],
  ])("%s", (text, expected) => {
    expect(parseHttpDate(text)).toBe(expected);
  });
});
