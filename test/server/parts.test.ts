import { describe, expect, it } from "vitest";
import { createAskedRing } from "../../server/asked-ring.ts";
import { paginate } from "../../server/pagination.ts";
import { classOf } from "../../server/path-class.ts";
import { render } from "../../server/rendered.ts";
import { createRenderedCache } from "../../server/rendered-cache.ts";
import { compileTrustProxy } from "../../server/trust-proxy.ts";

describe("pages of a list", () => {
  const items = Array.from({ length: 65 }, (_, i) => i);
  const page = (query: string): { length: number; first: number | undefined; rels: string } => {
    const { items: shown, link } = paginate(items, new URLSearchParams(query), "https://m/x");
    return { length: shown.length, first: shown[0], rels: link ?? "" };
  };
  const to = (perPage: number, n: number, rel: string): string =>
    `<https://m/x?per_page=${perPage}&page=${n}>; rel="${rel}"`;

  it.each([
    ["", 30, 0, `${to(30, 2, "next")}, ${to(30, 3, "last")}`],
    [
      "page=2",
      30,
      30,
      `${to(30, 1, "prev")}, ${to(30, 3, "next")}, ${to(30, 3, "last")}, ${to(30, 1, "first")}`,
    ],
    ["page=3", 5, 60, `${to(30, 2, "prev")}, ${to(30, 1, "first")}`],
    ["page=9", 0, undefined, `${to(30, 3, "prev")}, ${to(30, 1, "first")}`],
    ["per_page=100", 65, 0, ""],
    ["per_page=1000", 65, 0, ""],
    ["per_page=0&page=-1", 30, 0, `${to(30, 2, "next")}, ${to(30, 3, "last")}`],
    ["per_page=x&page=1e3", 30, 0, `${to(30, 2, "next")}, ${to(30, 3, "last")}`],
  ])("%s", (query, length, first, rels) => {
    expect(page(query)).toEqual({ length, first, rels });
  });
});

describe("rendered answers", () => {
  it("are kept within bounds, the first rendered going first", () => {
    const cache = createRenderedCache({ entries: 2, bytes: 800 });
    const answer = render("text/plain", "x".repeat(80));
    cache.set("a", answer);
    cache.set("b", answer);
    cache.set("a", answer);
    cache.set("c", answer);
    expect(["a", "b", "c"].map((key) => cache.get(key) === answer)).toEqual([true, false, true]);
    cache.set("big", render("text/plain", "x".repeat(101)));
    expect(cache.get("big")).toBeUndefined();
  });

  it("are kept within bytes too", () => {
    const cache = createRenderedCache({ entries: 100, bytes: 800 });
    for (let i = 0; i < 20; i++) cache.set(String(i), render("text/plain", "x".repeat(100)));
    expect(Array.from({ length: 20 }, (_, i) => cache.get(String(i))).filter(Boolean)).toHaveLength(8);
  });

  it("are dropped when they say so themselves", () => {
    const cache = createRenderedCache();
    let fresh = true;
    cache.set("a", { ...render("text/plain", "x"), isFresh: () => fresh });
    expect(cache.get("a")).toBeDefined();
    fresh = false;
    expect(cache.get("a")).toBeUndefined();
  });
});

describe("what was asked for lately", () => {
  it("is bounded in number and length", () => {
    const ring = createAskedRing(3);
    for (const path of ["a", "b", "c", "a", "d"]) ring.record(path, "python", 1);
    expect(ring.recent().map(({ path, times }) => `${path}${times}`)).toEqual(["d1", "a2", "c1"]);
    ring.record("x".repeat(5000), "python", 2);
    expect(ring.recent()[0]?.path).toHaveLength(300);
    expect(ring.version).toBe(6);
    ring.record("noise", "other", 3);
    expect(ring.version).toBe(6);
  });
});

describe("kinds of address", () => {
  it.each([
    ["o/r/releases/download/t/a", "release-asset"],
    ["o/r/releases/latest/download/a", "release-asset"],
    ["github/uv/releases/download/t/a", "release-asset"],
    ["o/r/archive/refs/tags/t.tar.gz", "source-archive"],
    ["repos/o/r/releases", "release-api"],
    ["api/v3/repos/o/r/releases", "release-api"],
    ["api/graphql", "release-api"],
    ["github/versions/main/v1/uv.ndjson", "uv-versions"],
    ["simple/torch", "python"],
    ["v1/bundles/x", "mirror"],
    ["favicon.ico", "other"],
    ["", "other"],
  ])("%s is %s", (path, expected) => {
    expect(classOf(path)).toBe(expected);
  });
});

describe("proxies that are believed", () => {
  it.each([
    ["loopback", "127.0.0.1", true],
    ["loopback", "10.0.0.1", false],
    ["none", "127.0.0.1", false],
    ["10.0.0.0/8, 192.0.2.7", "10.9.9.9", true],
    ["10.0.0.0/8, 192.0.2.7", "192.0.2.7", true],
    ["10.0.0.0/8, 192.0.2.7", "127.0.0.1", false],
    ["uniquelocal", "192.168.1.1", true],
  ])("%s: %s", (text, address, trusted) => {
    expect(compileTrustProxy(text)(address, 0)).toBe(trusted);
  });

  it("have to be addresses", () => {
    expect(() => compileTrustProxy("everybody")).toThrow(/--trust-proxy/);
  });
});
