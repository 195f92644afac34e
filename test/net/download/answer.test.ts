import { describe, expect, it } from "vitest";
import { type Asked, judge } from "../../../src/net/download/answer.ts";

type Headers = Record<string, string>;

function verdict(status: number, headers: Headers, asked: Partial<Asked> = {}): string {
  const full: Asked = { label: "f", from: undefined, total: 1000, etag: undefined, ...asked };
  const found = judge(full, { status, headers, url: "https://h/f" });
  switch (found.kind) {
    case "bytes":
      return `bytes from ${found.start} of ${found.total ?? "?"}${found.ranges ? ", ranges" : ""}`;
    case "from-zero":
    case "nothing-left":
      return `${found.kind} ${found.total ?? "?"}`;
    case "changed":
    case "unusable":
      return `${found.kind} ${found.error.code}`;
    case "status":
      return "status";
  }
}

describe("judge", () => {
  const length = { "content-length": "1000" };
  const html = { "content-type": "text/html; charset=utf-8" };
  const rest = { "content-range": "bytes 400-999/1000" };

  it.each<[string, number, Headers, Partial<Asked>, string]>([
    ["the whole", 200, length, {}, "bytes from 0 of 1000"],
    [
      "the whole, ranges offered",
      200,
      { ...length, "accept-ranges": "bytes" },
      {},
      "bytes from 0 of 1000, ranges",
    ],
    ["the whole, of unstated length", 200, {}, {}, "bytes from 0 of ?"],
    ["unknown here, stated there", 200, length, { total: undefined }, "bytes from 0 of 1000"],
    ["B1: nothing", 200, { "content-length": "0" }, {}, "unusable NET_TRUNCATED"],
    ["another length", 200, { "content-length": "999" }, {}, "unusable SIZE_MISMATCH"],
    ["B2: a page of its own length", 200, { ...html, "content-length": "80" }, {}, "unusable SIZE_MISMATCH"],
    ["B2: a page of no length", 200, html, {}, "unusable SIZE_MISMATCH"],
    [
      "B2: a page where the size is unknown",
      200,
      { ...html, ...length },
      { total: undefined },
      "unusable SIZE_MISMATCH",
    ],
    [
      "a page of the right length (the digest decides)",
      200,
      { ...html, ...length },
      {},
      "bytes from 0 of 1000",
    ],
    ["B7: the whole instead of a range", 200, length, { from: 400 }, "from-zero 1000"],
    [
      "B7: another file instead of a range",
      200,
      { "content-length": "80" },
      { from: 400 },
      "unusable SIZE_MISMATCH",
    ],
    ["the whole instead of a range from 0", 200, length, { from: 0 }, "bytes from 0 of 1000"],
    ["the range", 206, rest, { from: 400 }, "bytes from 400 of 1000, ranges"],
    [
      "the range of an unstated whole",
      206,
      { "content-range": "bytes 400-999/*" },
      { from: 400 },
      "bytes from 400 of ?, ranges",
    ],
    [
      "another range",
      206,
      { "content-range": "bytes 0-999/1000" },
      { from: 400 },
      "unusable UPSTREAM_MALFORMED",
    ],
    [
      "a range of another whole",
      206,
      { "content-range": "bytes 400-1999/2000" },
      { from: 400 },
      "unusable SIZE_MISMATCH",
    ],
    [
      "several ranges",
      206,
      { "content-type": "multipart/byteranges; boundary=x" },
      { from: 400 },
      "unusable UPSTREAM_MALFORMED",
    ],
    ["a range that nobody asked for", 206, rest, {}, "unusable UPSTREAM_MALFORMED"],
    [
      "the same version",
      206,
      { ...rest, etag: '"1"' },
      { from: 400, etag: '"1"' },
      "bytes from 400 of 1000, ranges",
    ],
    [
      "another version",
      206,
      { ...rest, etag: '"2"' },
      { from: 400, etag: '"1"' },
      "changed UPSTREAM_MALFORMED",
    ],
    [
      "B8: 416 on the complete file",
      416,
      { "content-range": "bytes */1000" },
      { from: 1000 },
      "nothing-left 1000",
    ],
    [
      "B8: 416, longer here",
      416,
      { "content-range": "bytes */900" },
      { from: 1000, total: undefined },
      "changed UPSTREAM_MALFORMED",
    ],
    [
      "B8: 416, another size there",
      416,
      { "content-range": "bytes */900" },
      { from: 950 },
      "unusable SIZE_MISMATCH",
    ],
    ["416 without a size", 416, {}, { from: 400 }, "changed UPSTREAM_MALFORMED"],
    ["416 to no range", 416, {}, {}, "status"],
    ["404", 404, {}, { from: 400 }, "status"],
  ])("%s", (_, status, headers, asked, expected) => {
    expect(verdict(status, headers, asked)).toBe(expected);
  });
});
